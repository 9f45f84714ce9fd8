/** Encrypts or decrypts with RC4, which OpenSSL no longer offers; old Office files need it. */
export function rc4(key: Uint8Array, bytes: Uint8Array): Buffer {
  const state = Uint8Array.from({ length: 256 }, (_, index) => index);
  for (let index = 0, other = 0; index < 256; index++) {
    other = (other + at(state, index) + at(key, index % key.length)) & 255;
    swap(state, index, other);
  }
  const output = Buffer.alloc(bytes.length);
  for (let place = 0, index = 0, other = 0; place < bytes.length; place++) {
    index = (index + 1) & 255;
    other = (other + at(state, index)) & 255;
    swap(state, index, other);
    output[place] = at(bytes, place) ^ at(state, (at(state, index) + at(state, other)) & 255);
  }
  return output;
}

function at(bytes: Uint8Array, index: number): number {
  return bytes[index] ?? 0;
}

function swap(state: Uint8Array, first: number, second: number): void {
  const kept = at(state, first);
  state[first] = at(state, second);
  state[second] = kept;
}
