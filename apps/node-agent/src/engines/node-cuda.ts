/** What real GPUs of this node offer to engines. */
export interface NodeCuda {
  /** The newest CUDA that the driver can run, such as "13.0"; null when it does not tell. */
  readonly version: string | null;
}
