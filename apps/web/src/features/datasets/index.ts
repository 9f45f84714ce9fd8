/** The pages of this feature; each is loaded when it is first opened. */
export const loadDatasetsPage = async () => ({ default: (await import("./datasets-page.tsx")).DatasetsPage });
export const loadDatasetPage = async () => ({ default: (await import("./dataset-page.tsx")).DatasetPage });
