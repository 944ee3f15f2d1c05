/** Charts in registries, by the OCI distribution specification. */
import type { ChartSource } from '../../kinds/ports/sources.ts';
import { isObject, type JsonObject } from '../../machinery/api/object.ts';
import type { HttpsAnswer } from '../https/index.ts';
import { answerOf, bodyOf, type Download, type DownloadOptions, downloadOf, refuseLarger, verify } from './download.ts';
import { SourceFailed } from './fault.ts';

const manifestType = 'application/vnd.oci.image.manifest.v1+json';
const chartType = 'application/vnd.cncf.helm.chart.content.v1.tar+gzip';
const versionAnnotation = 'org.opencontainers.image.version';
const longestManifest = 1024 * 1024;
const longestToken = 64 * 1024;

const parsed = (body: Buffer, what: string): JsonObject => {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    if (isObject(value)) return value;
  } catch {
    // Reported as anything else that is no object.
  }
  throw new SourceFailed('SourceUnavailable', `${what}: the answer is no JSON object`);
};

/** The parameters of a challenge such as `Bearer realm="https://…",service="…",scope="…"`. */
const challengeOf = ({ headers }: HttpsAnswer): URL | undefined => {
  const text = headers['www-authenticate'];
  if (text === undefined || !/^bearer /i.test(text)) return undefined;
  const parameters = new Map([...text.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name!, value!]));
  const realm = parameters.get('realm');
  if (realm === undefined || !URL.canParse(realm)) return undefined;
  const url = new URL(realm);
  for (const name of ['service', 'scope']) if (parameters.has(name)) url.searchParams.set(name, parameters.get(name)!);
  return url;
};

/** A registry gives anonymous clients a token as well. */
const tokenOf = async (url: URL, { what, caBundle }: Download, options: DownloadOptions): Promise<string> => {
  const body = await downloadOf(
    { url: url.href, what: `token for ${what}`, longest: longestToken, caBundle, accept: 'application/json' },
    options,
  );
  const { token, access_token: accessToken } = parsed(body, `token for ${what}`);
  return `Bearer ${token ?? accessToken}`;
};

/** Reads of one repository, which share a token. */
const createReads = (options: DownloadOptions) => {
  let authorization: string | undefined;
  return async (download: Download): Promise<Buffer> => {
    const answer = await answerOf(download, options, authorization);
    const challenge = answer.status === 401 && authorization === undefined ? challengeOf(answer) : undefined;
    if (!challenge) return bodyOf(answer, download);
    authorization = await tokenOf(challenge, download, options);
    return bodyOf(await answerOf(download, options, authorization), download);
  };
};

const layerOf = ({ layers }: JsonObject, what: string): { digest: string; size: number } => {
  const all = Array.isArray(layers) ? layers.filter((one) => isObject(one)) : [];
  const layer = all.find(({ mediaType }) => mediaType === chartType);
  if (typeof layer?.digest === 'string' && typeof layer.size === 'number')
    return { digest: layer.digest, size: layer.size };
  throw new SourceFailed('ChartInvalid', `${what} is no Helm chart: it has no layer of the type ${chartType}`);
};

const checkVersion = ({ annotations }: JsonObject, { version, digest }: ChartSource, what: string): void => {
  const actual = isObject(annotations) ? annotations[versionAnnotation] : undefined;
  if (actual !== undefined && actual !== version)
    throw new SourceFailed('DigestMismatch', `${what}: ${digest} is version ${actual}`);
};

/** The archive of the chart whose OCI manifest has the digest. */
export const chartFromRegistry = async (
  source: ChartSource,
  what: string,
  longest: number,
  options: DownloadOptions,
): Promise<Buffer> => {
  const { repoURL, chartName, digest, caBundle } = source;
  const [host, ...path] = repoURL.slice('oci://'.length).replace(/\/+$/, '').split('/');
  const base = `https://${host}/v2/${[...path, chartName].join('/')}`;
  const read = createReads(options);
  const manifest = await read({
    url: `${base}/manifests/${digest}`,
    what,
    longest: longestManifest,
    caBundle,
    accept: manifestType,
  });
  const facts = parsed(verify(manifest, digest, what), what);
  checkVersion(facts, source, what);
  const layer = layerOf(facts, what);
  refuseLarger(layer.size, longest, what);
  const archive = await read({ url: `${base}/blobs/${layer.digest}`, what, longest, caBundle });
  return verify(archive, layer.digest, what);
};
