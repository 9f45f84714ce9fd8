export interface MixedPage {
  readonly name: string;
  readonly languages: string;
  readonly font: string;
  /** Our own words, a paragraph a line. */
  readonly text: string;
}

/** Pages of Chinese, and of Chinese with English, for which no article is at hand. */
export const mixedPages: readonly MixedPage[] = [
  {
    name: "chinese",
    languages: "chi_sim",
    font: "Noto Sans CJK SC",
    text: `文档解析服务把各种文件转换为适合训练的文本。
每一页先检查有没有文字层。如果没有，就把页面画成图片，再由识别程序读出文字。
识别出来的文字和原来的文字走同样的版面分析，所以标题、段落、表格和页眉都按同样的规则处理。
凡是没有读出来的内容，服务都会说明原因，并且告诉用户应该怎么做。
同样的文件和同样的设置，总是得到同样的结果。
二零二六年的测试一共有六十篇文章，每篇取前两页，合计一百二十页。`,
  },
  {
    name: "chinese and english",
    languages: "chi_sim+eng",
    font: "Noto Sans CJK SC",
    text: `本系统使用 Tesseract 识别图片中的文字，分辨率为 200 dpi。
The service reads each page on its own, and tells which pages were read by OCR.
模型训练需要干净的文本，因此 headers and footers 会被去掉。
A table of results is given in the appendix, together with the commands that made it.
如果缺少语言数据，请安装 tesseract-ocr-chi-sim 这个软件包。`,
  },
];
