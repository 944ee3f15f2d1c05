/** Renders charts with the `helm` of the PATH. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SourcesReads } from '../../kinds/ports/sources.ts';
import { SourceFailed } from './fault.ts';

/** The manifests of a chart's archive. */
export type RenderChart = (
  archive: Buffer,
  release: Pick<SourcesReads['Chart'][0], 'releaseName' | 'namespace' | 'values' | 'kubernetesVersion'>,
) => Promise<string>;

export interface HelmOptions {
  /** Directories with programs, as in the variable. */
  path: string | undefined;
  /** Milliseconds. */
  timeout?: number;
  /** Bytes of the manifests. */
  longest: number;
}

interface Ended extends Error {
  code?: string | number;
  killed?: boolean;
}

const failureOf = (error: Ended, stderr: string, { longest, timeout }: HelmOptions): SourceFailed => {
  const options = { cause: error };
  if (error.code === 'ENOENT')
    return new SourceFailed('HelmNotFound', 'charts are rendered by Helm, and no helm was found', options);
  if (error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER')
    return new SourceFailed(
      'SourceTooLarge',
      `its manifests are larger than ${Math.floor(longest / 1024)} KiB`,
      options,
    );
  if (error.killed)
    return new SourceFailed('ChartInvalid', `Helm did not render it within ${timeout! / 1000} seconds`, options);
  const reported = stderr.trim().replace(/^Error: /m, '');
  return new SourceFailed('ChartInvalid', `Helm does not render it: ${reported || error.message}`, options);
};

/** Helm sees neither the credentials nor the plugins and settings of this process. */
const environmentIn = (directory: string, path: string | undefined) => ({
  PATH: path,
  HOME: directory,
  HELM_CACHE_HOME: join(directory, 'cache'),
  HELM_CONFIG_HOME: join(directory, 'config'),
  HELM_DATA_HOME: join(directory, 'data'),
});

export const helmRenderer =
  (given: HelmOptions): RenderChart =>
  async (archive, { releaseName, namespace, values, kubernetesVersion }) => {
    const options = { timeout: 30_000, ...given };
    const directory = await mkdtemp(join(tmpdir(), 'capstan-chart-'));
    const [chart, valuesFile] = [join(directory, 'chart.tgz'), join(directory, 'values.json')];
    try {
      await Promise.all([writeFile(chart, archive), writeFile(valuesFile, JSON.stringify(values))]);
      const settings = ['--namespace', namespace, '--kube-version', kubernetesVersion, '--values', valuesFile];
      const args = ['template', releaseName, chart, ...settings, '--include-crds', '--skip-tests'];
      return await new Promise<string>((resolve, reject) => {
        const { timeout, longest, path } = options;
        const run = { env: environmentIn(directory, path), cwd: directory, timeout, maxBuffer: longest };
        execFile('helm', args, run, (error, stdout, stderr) =>
          error ? reject(failureOf(error as Ended, stderr, options)) : resolve(stdout),
        );
      });
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  };
