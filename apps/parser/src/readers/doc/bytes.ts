/** Little-endian numbers of a buffer; places outside of it read as 0, as fields that older versions lack do. */
export function u8(bytes: Buffer, at: number): number {
  return bytes[at] ?? 0;
}

export function u16(bytes: Buffer, at: number): number {
  return u8(bytes, at) | (u8(bytes, at + 1) << 8);
}

export function i16(bytes: Buffer, at: number): number {
  return (u16(bytes, at) << 16) >> 16;
}

export function u32(bytes: Buffer, at: number): number {
  return (u16(bytes, at) | (u16(bytes, at + 2) << 16)) >>> 0;
}

export function i32(bytes: Buffer, at: number): number {
  return u32(bytes, at) | 0;
}
