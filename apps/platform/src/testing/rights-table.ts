/**
 * Who may call what, by hand: not derived from the policy, so that a mistake there shows. `yes`: it is done. `no`: it is
 * refused. `hidden`: the record is not found. The operator of the platform has no role in the tenant here.
 */
type Answer = "yes" | "no" | "hidden";

export interface RightsRow {
  readonly viewer: Answer;
  readonly editor: Answer;
  readonly admin: Answer;
  readonly owner: Answer;
  /** Owner of another tenant, about a record of this one; `none` where the operation is about no record by id. */
  readonly foreign: Answer | "none";
}

const everybody: RightsRow = { viewer: "yes", editor: "yes", admin: "yes", owner: "yes", foreign: "none" };
const nobody: RightsRow = { viewer: "no", editor: "no", admin: "no", owner: "no", foreign: "no" };
const administrators: RightsRow = { viewer: "no", editor: "no", admin: "yes", owner: "yes", foreign: "none" };

const editors: RightsRow = { viewer: "no", editor: "yes", admin: "yes", owner: "yes", foreign: "none" };

/** By the id of the operation. An operation that is not here fails the test, and so does a row without an operation. */
export const rightsTable: Readonly<Record<string, RightsRow>> = {
  // Open to anybody, or to whoever is signed in.
  getSignInOptions: everybody,
  signIn: everybody,
  resumeSession: everybody,
  startOidc: everybody,
  finishOidc: everybody,
  getSession: everybody,
  signOut: everybody,
  changePassword: everybody,
  // For roles on the platform only.
  listTenants: nobody,
  createTenant: nobody,
  listPlatformOperations: nobody,
  getSystemHealth: nobody,
  getSystemStorage: nobody,
  // The tenant and its members.
  getTenant: everybody,
  renameTenant: administrators,
  listUsers: { viewer: "no", editor: "yes", admin: "yes", owner: "yes", foreign: "none" },
  getUser: { viewer: "no", editor: "yes", admin: "yes", owner: "yes", foreign: "hidden" },
  addUser: administrators,
  changeRole: { ...administrators, foreign: "hidden" },
  removeUser: { ...administrators, foreign: "hidden" },
  resetPassword: { ...administrators, foreign: "hidden" },
  listOperations: administrators,
  // How the platform is and how much the tenant keeps.
  getSystemStatus: administrators,
  getTenantStorage: administrators,
  followEvents: everybody,
  // Models that are not private.
  listModels: everybody,
  getModel: { ...everybody, foreign: "hidden" },
  createModel: { viewer: "no", editor: "yes", admin: "yes", owner: "yes", foreign: "none" },
  editModel: { viewer: "no", editor: "yes", admin: "yes", owner: "yes", foreign: "hidden" },
  deleteModel: { ...administrators, foreign: "hidden" },
  testModelConnection: { viewer: "no", editor: "yes", admin: "yes", owner: "yes", foreign: "hidden" },
  testNewConnection: { viewer: "no", editor: "yes", admin: "yes", owner: "yes", foreign: "none" },
  // One's own tokens are everybody's business, those of others the administrators'.
  listApiTokens: everybody,
  createApiToken: everybody,
  revokeApiToken: { viewer: "hidden", editor: "hidden", admin: "yes", owner: "yes", foreign: "hidden" },
  // Grants on one record: for those who may manage it, here neither its owner nor a grantee.
  listAcls: { ...administrators, foreign: "hidden" },
  grantAccess: { ...administrators, foreign: "hidden" },
  revokeAccess: { ...administrators, foreign: "hidden" },
  // Jobs: shared ones are read by all, and changed by who began them and administrators. These are the first owner's.
  listJobs: everybody,
  getJob: { ...everybody, foreign: "hidden" },
  listJobItems: { ...everybody, foreign: "hidden" },
  cancelJob: { ...administrators, foreign: "hidden" },
  retryJob: { ...administrators, foreign: "hidden" },
  listPlatformJobs: nobody,
  getPlatformJob: nobody,
  listPlatformJobItems: nobody,
  cancelPlatformJob: nobody,
  retryPlatformJob: nobody,
  verifyStoredObjects: nobody,
  // Datasets: shared ones are read by all and made and edited by editors; to delete one is for its owner and administrators.
  listDatasets: everybody,
  createDataset: editors,
  getDataset: { ...everybody, foreign: "hidden" },
  editDataset: { ...editors, foreign: "hidden" },
  deleteDataset: { ...administrators, foreign: "hidden" },
  listDeletedDatasets: everybody,
  undeleteDataset: { ...administrators, foreign: "hidden" },
  uploadDatasetFile: { ...editors, foreign: "hidden" },
  // One's own uploads; those of others are hidden from everybody, which the tests of uploads hold.
  createDatasetUpload: { ...editors, foreign: "hidden" },
  listDatasetUploads: { ...editors, foreign: "hidden" },
  getDatasetUpload: { ...editors, foreign: "hidden" },
  appendToDatasetUpload: { ...editors, foreign: "hidden" },
  completeDatasetUpload: { ...editors, foreign: "hidden" },
  deleteDatasetUpload: { ...editors, foreign: "hidden" },
  listDatasetVersions: { ...everybody, foreign: "hidden" },
  getDatasetVersion: { ...everybody, foreign: "hidden" },
  listDatasetRows: { ...everybody, foreign: "hidden" },
  editDatasetRows: { ...editors, foreign: "hidden" },
  diffDatasetVersions: { ...everybody, foreign: "hidden" },
  restoreDatasetVersion: { ...editors, foreign: "hidden" },
  validateDatasetVersion: { ...editors, foreign: "hidden" },
  convertDataset: { ...editors, foreign: "hidden" },
  splitDataset: { ...editors, foreign: "hidden" },
  downloadDataset: { ...everybody, foreign: "hidden" },
  exportDataset: { ...everybody, foreign: "hidden" },
};
