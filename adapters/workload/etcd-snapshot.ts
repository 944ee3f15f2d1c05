/** A snapshot of an etcd member, as its JSON gateway streams it. */
import { createHash } from 'node:crypto';
import { etcdRefusal } from '../../kinds/ports/transport.ts';
import { WorkloadError } from '../../kinds/ports/workload.ts';
import { parsed } from './gateway-refusal.ts';

export const snapshotPath = '/v3/maintenance/snapshot';
/** Bytes of the hash that ends a snapshot. */
export const hashBytes = 32;
/** Bytes; etcd sends 32 KiB a line, in base64. */
const longestLine = 16 * 1024 * 1024;
const newline = 0x0a;

interface Line {
  result?: { blob?: string };
  error?: { grpc_code?: number; code?: number; message?: string };
}

async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let pending: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    let rest = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    for (let end = rest.indexOf(newline); end >= 0; end = rest.indexOf(newline)) {
      yield Buffer.concat([...pending, rest.subarray(0, end)]).toString('utf8');
      [pending, length, rest] = [[], 0, rest.subarray(end + 1)];
    }
    pending.push(rest);
    length += rest.length;
    if (length > longestLine) throw new WorkloadError('InternalError', 'etcd sent no line for too long');
  }
  if (length > 0) yield Buffer.concat(pending).toString('utf8');
}

const blobOf = (line: string): Buffer => {
  const { result, error } = (parsed(line) ?? {}) as Line;
  if (error) {
    const code = error.grpc_code ?? error.code ?? 0;
    throw new WorkloadError(etcdRefusal(code), error.message ?? 'etcd ended the snapshot');
  }
  if (!result) throw new WorkloadError('InternalError', 'etcd sent a line that is no part of a snapshot');
  return Buffer.from(result.blob ?? '', 'base64');
};

export interface SnapshotStream {
  /** The file: the database and then its hash, as `etcdutl snapshot restore` reads it. */
  content: AsyncIterable<Uint8Array>;
  /** Of the whole content; call it after the content has ended. */
  summary(): { size: number; checksum: string };
}

/**
 * The content throws if the stream is short: the last blob must be the hash of all others. etcd
 * does not mark the last one, so that the stream is read to its end.
 */
export const snapshotFrom = (chunks: AsyncIterable<Uint8Array>): SnapshotStream => {
  const hash = createHash('sha256');
  let size = 0;
  let checksum: string | undefined;
  async function* content(): AsyncGenerator<Uint8Array> {
    let last: Buffer | undefined;
    for await (const line of linesOf(chunks)) {
      const blob = blobOf(line);
      if (blob.length === 0) continue;
      if (last) {
        hash.update(last);
        size += last.length;
        yield last;
      }
      last = blob;
    }
    const digest = hash.digest();
    if (!last || !digest.equals(last))
      throw new WorkloadError('InternalError', 'the snapshot does not end with the hash of its content: it is short');
    size += last.length;
    checksum = `sha256:${digest.toString('hex')}`;
    yield last;
  }
  return {
    content: content(),
    summary: () => {
      if (checksum === undefined) throw new Error('the snapshot has not ended');
      return { size, checksum };
    },
  };
};
