/** The port of manifests and charts that users name by their place and digest. */
import type { ChartSource, Sourced, SourcesReads } from '../../kinds/ports/sources.ts';
import { Generations } from '../../machinery/api/generations.ts';
import type { Port } from '../../machinery/controller/index.ts';
import { chartFromRepository } from './chart-repository.ts';
import { type DownloadOptions, downloadOf, verify } from './download.ts';
import { SourceFailed } from './fault.ts';
import { helmRenderer, type RenderChart } from './helm.ts';
import { chartFromRegistry } from './registry.ts';

/** Verified files that one process keeps, so that a pass that is repeated downloads nothing again. */
const keptFiles = 2;

export interface SourcesOptions extends Partial<DownloadOptions> {
  /** Bytes of one file or archive, and of the manifests of one chart. */
  longest?: number;
  /** Directories with programs, as in the variable PATH. */
  path?: string | undefined;
  /** By default the `helm` in `path`. */
  render?: RenderChart;
}

const described = async (text: () => Promise<string>): Promise<Sourced> => {
  try {
    return { text: await text() };
  } catch (error) {
    if (error instanceof SourceFailed) return { failed: error.fault, message: error.message };
    throw error;
  }
};

export const sourcesPort = ({
  timeout = 20_000,
  allowsLocal = false,
  agent,
  longest = 5 * 1024 * 1024,
  path,
  render = helmRenderer({ path, longest }),
}: SourcesOptions = {}): Port => {
  const options: DownloadOptions = { timeout, allowsLocal, ...(agent && { agent }) };
  const files = new Generations<Buffer>(keptFiles);
  const kept = async (digest: string, read: () => Promise<Buffer>): Promise<Buffer> => {
    const known = files.find(digest);
    if (known) return known.value;
    const bytes = await read();
    files.keep(digest, bytes);
    return bytes;
  };

  const file = ({ url, digest, caBundle }: SourcesReads['File'][0]): Promise<Sourced> =>
    described(async () => {
      const download = { url, what: url, longest, caBundle };
      const bytes = await kept(digest, async () => verify(await downloadOf(download, options), digest, url));
      return bytes.toString('utf8');
    });

  const archiveOf = (source: ChartSource, what: string): Promise<Buffer> =>
    source.repoURL.startsWith('oci://')
      ? chartFromRegistry(source, what, longest, options)
      : chartFromRepository(source, what, longest, options);
  const chart = (source: SourcesReads['Chart'][0]): Promise<Sourced> =>
    described(async () => {
      const what = `chart ${source.repoURL.replace(/\/+$/, '')}/${source.chartName} ${source.version}`;
      const archive = await kept(source.digest, () => archiveOf(source, what));
      try {
        return await render(archive, source);
      } catch (error) {
        if (error instanceof SourceFailed)
          throw new SourceFailed(error.fault, `${what}: ${error.message}`, { cause: error });
        throw error;
      }
    });

  return {
    read: async (operation, input): Promise<unknown> => {
      switch (operation as keyof SourcesReads) {
        case 'File':
          return file(input as unknown as SourcesReads['File'][0]);
        case 'Chart':
          return chart(input as unknown as SourcesReads['Chart'][0]);
        default:
          throw new Error(`sources cannot be asked for ${operation}`);
      }
    },
  };
};
