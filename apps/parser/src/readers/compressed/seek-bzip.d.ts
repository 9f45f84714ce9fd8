declare module "seek-bzip" {
  interface ByteOutput {
    writeByte(byte: number): void;
  }
  const bunzip: {
    /** @throws Error when the input is no bzip2, or a checksum differs. */
    decode(input: Buffer, output: ByteOutput, isMultistream?: boolean): void;
  };
  export default bunzip;
}
