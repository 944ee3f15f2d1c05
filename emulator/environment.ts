/** A file to source with all variables for the emulated account and its deployments. */
import { join } from 'node:path';

const quoted = (value: string): string => `'${value.replaceAll("'", `'\\''`)}'`;

export interface EnvironmentOptions {
  folder: string;
  /** Names and values, as the AWS SDKs and the CLI read them. */
  variables: Record<string, string>;
  /** The URL of the deployed API. */
  url: string;
  caFile: string;
  /** The proxy for clusters in the account. */
  proxy: string;
}

export const environmentFile = (folder: string): string => join(folder, 'env');

/**
 * The text of the file. `HTTPS_PROXY` is not among the variables, because the deployed API itself is reached
 * without it: `$CAPSTAN_EMULATOR_PROXY` is for clients of the clusters.
 */
export const environmentOf = ({ folder, variables, url, caFile, proxy }: EnvironmentOptions): string => {
  const all = {
    ...variables,
    KUBECONFIG: join(folder, 'kubeconfig'),
    CAPSTAN_EMULATOR_URL: url,
    CAPSTAN_EMULATOR_CA: caFile,
    CAPSTAN_EMULATOR_PROXY: proxy,
  };
  return Object.entries(all)
    .map(([name, value]) => `export ${name}=${quoted(value)}\n`)
    .join('');
};
