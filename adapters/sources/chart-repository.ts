/** Charts in repositories: an `index.yaml` with the archives of each version. */
import type { ChartSource } from '../../kinds/ports/sources.ts';
import { isObject } from '../../machinery/api/object.ts';
import { documentValue, yamlDocuments } from '../../machinery/api/yaml.ts';
import { type DownloadOptions, downloadOf, verify } from './download.ts';
import { SourceFailed } from './fault.ts';

const longestIndex = 16 * 1024 * 1024;

const indexOf = (text: string, what: string): unknown => {
  try {
    const [first] = yamlDocuments(text);
    return first && documentValue(first);
  } catch (error) {
    throw new SourceFailed('SourceUnavailable', `${what}: ${(error as Error).message}`, { cause: error });
  }
};

const archiveIn = (index: unknown, { chartName, version }: ChartSource, repository: string): string => {
  const entries = isObject(index) && isObject(index.entries) ? index.entries[chartName] : undefined;
  if (!Array.isArray(entries)) throw new SourceFailed('SourceNotFound', `${repository} has no chart ${chartName}`);
  const entry = entries.find((one) => isObject(one) && one.version === version);
  const url = isObject(entry) && Array.isArray(entry.urls) ? entry.urls[0] : undefined;
  if (typeof url !== 'string')
    throw new SourceFailed('SourceNotFound', `${repository} has no version ${version} of chart ${chartName}`);
  return url;
};

/** The archive of the chart, which has the digest. */
export const chartFromRepository = async (
  source: ChartSource,
  what: string,
  longest: number,
  options: DownloadOptions,
): Promise<Buffer> => {
  const { digest, caBundle } = source;
  const repository = source.repoURL.replace(/\/*$/, '/');
  const index = `${repository}index.yaml`;
  const text = await downloadOf({ url: index, what: index, longest: longestIndex, caBundle }, options);
  const archive = archiveIn(indexOf(text.toString('utf8'), index), source, source.repoURL);
  const url = URL.canParse(archive, repository) ? new URL(archive, repository).href : archive;
  return verify(await downloadOf({ url, what, longest, caBundle }, options), digest, what);
};
