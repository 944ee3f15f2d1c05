/** `capstan snapshot download`: the file of an etcd snapshot, checked as it arrives. */

import { createHash } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { get as httpGet, type IncomingMessage } from 'node:http';
import { Agent, get as httpsGet } from 'node:https';
import type { EtcdSnapshot } from '../kinds/capstan/etcd-snapshot/index.ts';
import { downloadSecretName } from '../kinds/core/contract/download.ts';
import { downloadAnnotation } from '../kinds/core/contract/file-requests.ts';
import type { ApiClient } from './client.ts';
import { CliError } from './errors.ts';
import { proxyVariables } from './proxy.ts';
import { pathOf, type SnapshotOptions, verificationOf, waitFor } from './snapshot.ts';

export interface DownloadOptions extends SnapshotOptions {
  /** The file to write; NAME.db by default. */
  to?: string;
}

/** Bytes of the hash that ends a snapshot. */
const hashBytes = 32;

/**
 * Passes the content on, and throws at its end if it is not the file whose database has that checksum.
 * Returns the checksum of the file.
 */
export async function* checked(
  content: AsyncIterable<Uint8Array>,
  checksum: string,
): AsyncGenerator<Uint8Array, string> {
  const file = createHash('sha256');
  const hash = createHash('sha256');
  let tail: Buffer = Buffer.alloc(0);
  for await (const chunk of content) {
    const pending = Buffer.concat([tail, chunk]);
    const end = Math.max(0, pending.length - hashBytes);
    hash.update(pending.subarray(0, end));
    tail = pending.subarray(end);
    file.update(chunk);
    yield chunk;
  }
  const digest = hash.digest();
  if (!digest.equals(tail) || checksum !== `sha256:${digest.toString('hex')}`)
    throw new CliError('the file that arrived is not the snapshot: its checksum differs; try again');
  return `sha256:${file.digest('hex')}`;
}

async function* whole(answer: IncomingMessage): AsyncGenerator<Uint8Array> {
  try {
    yield* answer;
  } catch (error) {
    throw new CliError(`lost the answer of the storage: ${(error as Error).message}`, 1, { cause: error });
  }
}

const download = async (url: string): Promise<AsyncIterable<Uint8Array>> => {
  const proxy = proxyVariables();
  // An emulator has no TLS.
  const [get, agent] = url.startsWith('https:')
    ? [httpsGet, new Agent(proxy ? { proxyEnv: { ...proxy } } : {})]
    : [httpGet, undefined];
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, { agent }, resolve).on('error', (error) =>
      reject(new CliError(`cannot reach the storage at ${new URL(url).host}: ${error.message}`, 1, { cause: error })),
    );
  });
  if (answer.statusCode === 200) return whole(answer);
  answer.resume();
  throw new CliError(`the storage answered with HTTP status ${answer.statusCode}`);
};

/** A link of S3 is a URL, one of a local control plane a path of its server. */
export const contentAt = async (client: ApiClient, url: string): Promise<AsyncIterable<Uint8Array>> => {
  if (url.startsWith('/')) return client.bytes(url);
  return download(url);
};

/** Reading the content failed, or it is another file than the stored one. */
class ContentFault extends Error {
  override readonly name = 'ContentFault';
}

async function* faulty<R>(content: AsyncGenerator<Uint8Array, R>): AsyncGenerator<Uint8Array, R> {
  try {
    return yield* content;
  } catch (error) {
    throw new ContentFault((error as Error).message, { cause: error });
  }
}

/** Returns what the content returns at its end. */
const write = async (path: string, content: AsyncGenerator<Uint8Array, string>): Promise<string> => {
  let file: Awaited<ReturnType<typeof open>>;
  try {
    file = await open(path, 'wx', 0o600);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === 'EEXIST' ? 'it exists already; name another file with --to' : message;
    throw new CliError(`cannot write ${path}: ${why}`, 1, { cause: error });
  }
  try {
    let next = await content.next();
    for (; !next.done; next = await content.next()) await file.writeFile(next.value);
    await file.sync();
    return next.value;
  } catch (error) {
    await content.return('');
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
};

/**
 * A storage that finds its file damaged can only break off, so the fault is looked for in the file
 * itself: its check also has the EtcdSnapshot report it.
 */
const explained = async (
  client: ApiClient,
  snapshot: EtcdSnapshot,
  { cause }: ContentFault,
  waiting: Pick<SnapshotOptions, 'timeout' | 'report'>,
  now: number,
): Promise<unknown> => {
  try {
    const { status } = await verificationOf(client, snapshot, waiting, now);
    const { valid, message } = status!.verification!;
    if (!valid)
      return new CliError(
        `etcdsnapshot ${snapshot.metadata.name} cannot be downloaded: the file is damaged: ${message}`,
        1,
        { cause },
      );
  } catch {
    // What failed first is the better message.
  }
  return cause;
};

const secretPath = (namespace: string, name: string): string =>
  `/api/v1/namespaces/${namespace}/secrets/${encodeURIComponent(downloadSecretName(name))}`;

/** Returns a report. Throws, and leaves no file, if what arrives is not the stored snapshot. */
export const downloadSnapshot = async (
  client: ApiClient,
  name: string,
  { namespace = client.namespace, to = `${name}.db`, ...waiting }: DownloadOptions,
  now: number,
): Promise<string> => {
  const path = pathOf(namespace, name);
  const before = await client.json<EtcdSnapshot>('GET', path);
  if (before.status?.phase !== 'Succeeded')
    throw new CliError(`etcdsnapshot ${name} is ${before.status?.phase ?? 'Pending'}: there is no file to download`);
  const request = new Date(now).toISOString();
  await client.json('PATCH', path, {
    body: JSON.stringify({ metadata: { uid: before.metadata.uid, annotations: { [downloadAnnotation]: request } } }),
    contentType: 'application/merge-patch+json',
  });
  const answered = ({ status }: EtcdSnapshot) => status?.download?.request === request;
  const { status } = await waitFor(client, path, answered, waiting);
  const { checksum = '', size, revision, download } = status!;
  if (download?.message) throw new CliError(`etcdsnapshot ${name} cannot be downloaded: ${download.message}`);
  const secret = await client.json<{ data?: Record<string, string> }>('GET', secretPath(namespace, name));
  const url = Buffer.from(secret.data?.url ?? '', 'base64').toString('utf8');
  const receive = async function* () {
    return yield* checked(await contentAt(client, url), checksum);
  };
  const fileChecksum = await write(to, faulty(receive())).catch(async (error: unknown) => {
    throw error instanceof ContentFault ? await explained(client, before, error, waiting, now) : error;
  });
  return [
    `etcdsnapshot/${name} is in ${to}: ${size} bytes at revision ${revision}, ${fileChecksum}`,
    'It holds the Secrets of the cluster in clear.',
  ].join('\n');
};
