// Packed lists of a RunView as typed arrays.

import type { Num, Packed } from './view';

async function inflate(data: string): Promise<ArrayBuffer> {
  const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Response(stream).arrayBuffer();
}

export async function unpackNumbers(packed: Packed) {
  const buffer = packed.length === 0 ? new ArrayBuffer(0) : await inflate(packed.data);
  switch (packed.type) {
    case 'f64':
      return new Float64Array(buffer);
    case 'f32':
      return new Float32Array(buffer);
    case 'i32':
      return new Int32Array(buffer);
    case 'u32':
      return new Uint32Array(buffer);
    case 'u8':
      return new Uint8Array(buffer);
    default:
      throw new Error(`${packed.type} holds no numbers`);
  }
}

export async function unpackJson<T>(packed: Packed): Promise<T> {
  return JSON.parse(new TextDecoder().decode(await inflate(packed.data))) as T;
}

export function toNumber(value: Num): number {
  if (typeof value === 'number') return value;
  return value === 'inf' ? Infinity : value === '-inf' ? -Infinity : NaN;
}
