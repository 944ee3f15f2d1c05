/** Downloads of pinned files over HTTPS, which follow redirects and stay within limits. */
import { createHash } from 'node:crypto';
import type { Agent } from 'node:https';
import { getCACertificates } from 'node:tls';
import { AnswerTooLong, type HttpsAnswer, type HttpsLimits, isTimeout, requestOverHttps } from '../https/index.ts';
import { SourceFailed } from './fault.ts';

export interface DownloadOptions extends Omit<HttpsLimits, 'longest' | 'sender'> {
  /** The way through a proxy. */
  agent?: Agent;
}

export interface Download {
  url: string;
  /** What the file is, in messages. */
  what: string;
  /** Bytes. */
  longest: number;
  caBundle?: string | undefined;
  accept?: string;
}

const mostRedirects = 5;
const redirects = new Set([301, 302, 303, 307, 308]);

export const sha256Of = (bytes: Buffer): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/** Registries send clients on to storage whose certificates are public. */
const authorities = (caBundle: string | undefined) =>
  caBundle === undefined
    ? {}
    : { ca: [...getCACertificates('default'), Buffer.from(caBundle, 'base64').toString('utf8')] };

const tooLarge = (what: string, longest: number, options?: ErrorOptions) =>
  new SourceFailed('SourceTooLarge', `${what} is larger than ${Math.floor(longest / 1024)} KiB`, options);

const urlOf = (url: string, base?: URL): URL => {
  const to = URL.canParse(url, base?.href) ? new URL(url, base) : undefined;
  if (to?.protocol !== 'https:') throw new SourceFailed('SourceNotFound', `${url} is no URL with https`);
  return to;
};

/** The answer at the end of the redirects, with any status. */
export const answerOf = async (
  { url, what, longest, caBundle, accept = '*/*' }: Download,
  options: DownloadOptions,
  authorization?: string,
): Promise<HttpsAnswer> => {
  const { agent, ...limits } = options;
  const first = urlOf(url);
  let to = first;
  for (let hops = 0; ; hops++) {
    let answer: HttpsAnswer;
    try {
      // Credentials are for the host that asked for them.
      const isAsked = authorization !== undefined && to.host === first.host;
      const headers = { Accept: accept, 'User-Agent': 'capstan', ...(isAsked && { Authorization: authorization }) };
      answer = await requestOverHttps(
        { to, method: 'GET', headers, ...authorities(caBundle), ...(agent && { agent }) },
        { ...limits, longest, sender: 'add-ons' },
      );
    } catch (error) {
      if (error instanceof AnswerTooLong) throw tooLarge(what, longest, { cause: error });
      const why = isTimeout(error) ? `no answer within ${limits.timeout / 1000} seconds` : (error as Error).message;
      throw new SourceFailed('SourceUnavailable', `${what}: ${to.host}: ${why}`, { cause: error });
    }
    const { location } = answer.headers;
    if (!redirects.has(answer.status) || location === undefined) return answer;
    if (hops === mostRedirects) throw new SourceFailed('SourceUnavailable', `${what}: ${to.host} redirects too often`);
    to = urlOf(location, to);
  }
};

/** The body of an answer 200. */
export const bodyOf = ({ status, body }: HttpsAnswer, { url, what }: Pick<Download, 'url' | 'what'>): Buffer => {
  if (status === 200) return body;
  const message = `${what}: ${new URL(url).host} answers with the status ${status}`;
  if (status === 404 || status === 410) throw new SourceFailed('SourceNotFound', message);
  if (status === 401 || status === 403) throw new SourceFailed('SourceForbidden', message);
  throw new SourceFailed('SourceUnavailable', message);
};

export const downloadOf = async (download: Download, options: DownloadOptions): Promise<Buffer> =>
  bodyOf(await answerOf(download, options), download);

export const verify = (bytes: Buffer, digest: string, what: string): Buffer => {
  const actual = sha256Of(bytes);
  if (actual !== digest) throw new SourceFailed('DigestMismatch', `${what} has the digest ${actual}, not ${digest}`);
  return bytes;
};

export const refuseLarger = (size: number, longest: number, what: string): void => {
  if (size > longest) throw tooLarge(what, longest);
};
