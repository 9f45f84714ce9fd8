"""Words of documents, by Python's standard library alone: a witness that shares no code with our readers.

Reads a JSON list of paths from standard input; writes a line of JSON for each, [path, text], or [path, null] where it
has nothing to say. Text that is furniture on purpose (running heads, masters, page numbers, comments, deletions) is no
part of what it says.
"""
import email
import email.policy
import html
import html.parser
import io
import json
import mailbox
import re
import sys
import zipfile

DROPPED = {"script", "style", "head", "template", "noscript", "iframe", "object", "select", "textarea", "svg", "canvas"}
BREAKS = {"p", "div", "br", "tr", "td", "th", "li", "h1", "h2", "h3", "h4", "h5", "h6", "dt", "dd", "hr", "pre", "table"}


class HtmlText(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.parts, self.closed = [], None

    def handle_starttag(self, tag, attrs):
        if self.closed is None and tag in DROPPED:
            self.closed = tag
        elif tag in BREAKS:
            self.parts.append("\n")

    def handle_endtag(self, tag):
        if tag == self.closed or (self.closed == "head" and tag == "body"):
            self.closed = None
        elif tag in BREAKS:
            self.parts.append("\n")

    def handle_data(self, data):
        if self.closed is None:
            self.parts.append(data)


def html_text(source):
    parser = HtmlText()
    # The head may have no end of its own.
    source = re.sub(r"(?is)<head\b.*?(?=</head>|<body\b)(</head>)?", "", source, count=1)
    parser.feed(source)
    parser.close()
    return "".join(parser.parts)


def decode(data, declared=None):
    """The text; raises where the bytes do not say their encoding, for then this witness would only guess."""
    if data[:4] in (b"\xff\xfe\0\0", b"\0\0\xfe\xff"):
        return data.decode("utf-32")
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16")
    found = re.search(rb"(?i)(?:charset|encoding)\s*=\s*[\"']?([\w-]+)", data[:2048])
    if b"\0" in data[:2048] or b"\x1b$" in data[:2048]:
        raise ValueError("no encoding known")
    for name in (declared, "utf-8-sig", found and found[1].decode()):
        try:
            return data.decode(name)
        except (TypeError, LookupError, UnicodeDecodeError):
            continue
    raise ValueError("no encoding known")


def xml_text(source, run, ends):
    """Text of elements whose name matches `run`; a line ends where an element of `ends` does."""
    source = re.sub(r"(?s)<mc:Fallback\b.*?</mc:Fallback>", "", source)
    parts = []
    for match in re.finditer(rf"(?s)<(?:{run})(?: [^>]*)?(?<!/)>(.*?)</(?:{run})>|<(?:/(?:{ends})|w:tab|w:br|a:br)\b[^>]*>", source):
        parts.append(html.unescape(re.sub(r"(?s)<[^>]*>", "", match[1])) if match[1] is not None else "\n")
    return "".join(parts)


def names_in(archive, pattern):
    return sorted(name for name in archive.namelist() if re.fullmatch(pattern, name))


def docx(archive):
    parts = names_in(archive, r"word/(document\d*|footnotes|endnotes)\.xml")
    return "\n".join(xml_text(decode(archive.read(name)), "w:t", "w:p|w:tc") for name in parts)


def pptx(archive):
    texts = []
    for name in names_in(archive, r"ppt/(slides/slide|notesSlides/notesSlide|diagrams/data)\d+\.xml"):
        source = decode(archive.read(name))
        shapes = re.sub(r'(?s)<p:sp>(?:(?!</p:sp>).)*?<p:ph\b[^>]*type="(?:dt|ftr|sldNum|hdr)".*?</p:sp>', "", source)
        texts.append(xml_text(shapes, "a:t", "a:p"))
    return "\n".join(texts)


def xlsx(archive):
    texts = []
    for name in names_in(archive, r"xl/(sharedStrings|worksheets/sheet\d+)\.xml"):
        source = re.sub(r"(?s)<rPh\b.*?</rPh>", "", decode(archive.read(name)))
        texts.append(xml_text(source, "t", "si|is"))
    # A string stands once in the table however often cells show it.
    return "\n".join(sorted(set("\n".join(texts).split("\n"))))


def odf(source):
    body = re.search(r"(?s)<office:body\b.*?</office:body>", source)
    source = body[0] if body else ""
    for name in ("text:tracked-changes", "office:annotation", "office:forms", "office:binary-data", "office:event-listeners"):
        source = re.sub(rf"(?s)<{name}\b(?:[^>]*/>|.*?</{name}>)", "", source)
    for name in ("presentation:footer", "presentation:date-time", "text:page-number", "text:note-citation"):
        source = re.sub(rf"(?s)<{name}\b[^>]*>[^<]*</{name}>", "", source)
    source = re.sub(r"<(?:/text:(?:p|h)|text:s|text:tab|text:line-break)\b[^>]*>", "\n", source)
    return html.unescape(re.sub(r"(?s)<[^>]*>", "", source))


def epub(archive):
    package = decode(archive.read(names_in(archive, r".*\.opf")[0]))
    folder = names_in(archive, r".*\.opf")[0].rpartition("/")[0]
    texts = []
    items = dict()
    for item in re.findall(r"(?s)<(?:opf:)?item\b[^>]*>", package):
        if re.search(r'\bproperties="[^"]*\bnav\b', item):
            continue
        identifier, target = re.search(r'\bid="([^"]*)', item), re.search(r'\bhref="([^"]*)', item)
        if identifier and target:
            items[identifier[1]] = target[1]
    for reference in dict.fromkeys(re.findall(r'<(?:opf:)?itemref\b[^>]*idref="([^"]*)', package)):
        name = f"{folder}/{items.get(reference, '')}".lstrip("/")
        if name in archive.namelist():
            texts.append(html_text(decode(archive.read(name))))
    return "\n".join(texts)


def message(data):
    if b"\0" in data[:2048]:
        raise ValueError("stored in UTF-16, which this library does not read")
    return message_text(email.message_from_bytes(data, policy=email.policy.default))


def message_text(message):
    texts = [str(message.get("subject", ""))]
    body = message.get_body(preferencelist=("html", "plain"))
    if body is not None:
        content = body.get_content()
        texts.append(html_text(content) if body.get_content_type() == "text/html" else content)
    return "\n".join(texts)


def mbox(path):
    parse = lambda stream: email.message_from_binary_file(stream, policy=email.policy.default)
    return "\n".join(message_text(message) for message in mailbox.mbox(path, factory=parse, create=False))


def mhtml(data):
    message = email.message_from_bytes(data, policy=email.policy.default)
    pages = [part for part in message.walk() if part.get_content_type() == "text/html"]
    return html_text(pages[0].get_content()) if pages else None


def notebook(data):
    cells = json.loads(decode(data)).get("cells", [])
    return "\n".join("".join(cell.get("source", "")) for cell in cells)


def without_tags(data):
    source = re.sub(r"(?s)<!--.*?-->|<\?.*?\?>|<!DOCTYPE[^>\[]*(\[.*?\])?>|<binary\b.*?</binary>", " ", decode(data))
    source = re.sub(r"(?s)<!\[CDATA\[(.*?)\]\]>", lambda match: html.escape(match[1]), source)
    return html.unescape(re.sub(r"(?s)<[^>]*>", " ", source))


def subtitles(data):
    """The lines under each time; identifiers of cues, notes and styles are furniture."""
    cues = [block for block in re.split(r"\r?\n(?:[ \t]*\r?\n)+", decode(data)) if "-->" in block]
    shown = [block.partition("-->")[2].partition("\n")[2] for block in cues]
    return html.unescape(re.sub(r"<[^>]*>", "", "\n".join(shown)))


def markdown(data):
    source = re.sub(r"(?s)\A---\n.*?\n---\n|<!--.*?-->", "", decode(data))
    source = re.sub(r"\]\([^)\s]*(?:\s+\"[^\"]*\")?\)|^\s*\[[^\]]+\]:.*$|^\s*```.*$|<https?:[^>]*>", "] ", source, flags=re.M)
    return html.unescape(re.sub(r"<[^>]*>", " ", source))


def zipped(read):
    return lambda data: read(zipfile.ZipFile(io.BytesIO(data)))


READERS = {
    "docx": zipped(docx),
    "pptx": zipped(pptx),
    "xlsx": zipped(xlsx),
    "epub": zipped(epub),
    "odf": lambda data: odf(decode(zipfile.ZipFile(io.BytesIO(data)).read("content.xml")) if data[:2] == b"PK" else decode(data)),
    "html": lambda data: html_text(decode(data)),
    "mhtml": mhtml,
    "eml": message,
    "json": decode,
    "jsonl": decode,
    "notebook": notebook,
    "xml": without_tags,
    "fb2": lambda data: without_tags("".join(re.findall(r"(?s)<body\b.*?</body>", decode(data))).encode()),
    "srt": subtitles,
    "vtt": subtitles,
    "md": markdown,
    "csv": decode,
    "plain": decode,
}


def main():
    for path, kind in json.load(sys.stdin):
        text = None
        try:
            if kind == "mbox":
                text = mbox(path)
            elif kind in READERS:
                with open(path, "rb") as stream:
                    text = READERS[kind](stream.read())
        except Exception as error:  # a witness that cannot read a file says nothing of it
            print(f"{path}: {error!r}", file=sys.stderr)
        clean = None if text is None else text.encode("utf-8", "replace").decode()
        print(json.dumps([path, clean]))


main()
