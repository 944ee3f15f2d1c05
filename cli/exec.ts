/** Tokens from a kubeconfig's exec plugin, as kubectl obtains them. */
import { execFile } from 'node:child_process';
import { resolve as resolvePath } from 'node:path';
import { CliError } from './errors.ts';

export interface Exec {
  apiVersion?: string;
  command: string;
  args?: string[] | null;
  env?: { name: string; value: string }[] | null;
  installHint?: string;
}

export interface Tokens {
  get(): Promise<string>;
  /** Reports a rejected token. Returns whether a new one may help. */
  refused(): boolean;
}

interface ExecCredential {
  kind?: unknown;
  status?: { token?: unknown; expirationTimestamp?: unknown };
}

/** Milliseconds before its expiry at which a token is renewed. */
const margin = 30_000;
const timeout = 60_000;

/** Undefined for anything but an ExecCredential with a token. */
const parsed = (text: string): { token: string; until: number } | undefined => {
  let credential: ExecCredential | null;
  try {
    credential = JSON.parse(text) as ExecCredential | null;
  } catch {
    return undefined;
  }
  const { token, expirationTimestamp: time } = credential?.status ?? {};
  if (credential?.kind !== 'ExecCredential' || typeof token !== 'string' || token === '') return undefined;
  if (time === undefined) return { token, until: Number.POSITIVE_INFINITY };
  const until = typeof time === 'string' ? Date.parse(time) : Number.NaN;
  return Number.isNaN(until) ? undefined : { token, until: until - margin };
};

const failed = (command: string, stderr: string, error: Error, hint: string | undefined): CliError => {
  const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
  const why = isMissing ? `there is no ${command}${hint ? `: ${hint}` : ''}` : stderr.trim() || error.message;
  return new CliError(`no token for this control plane: ${why.replace(/^error: /, '')}`, 1, { cause: error });
};

const runPlugin = ({ apiVersion, command, args, env, installHint }: Exec, directory: string): Promise<string> => {
  // As kubectl does: a path is relative to the kubeconfig, a name is looked up.
  const path = command.includes('/') ? resolvePath(directory, command) : command;
  const information = { apiVersion, kind: 'ExecCredential', spec: { interactive: false } };
  const variables = {
    ...process.env,
    ...Object.fromEntries((env ?? []).map(({ name, value }) => [name, value])),
    KUBERNETES_EXEC_INFO: JSON.stringify(information),
  };
  return new Promise((resolve, reject) => {
    execFile(path, args ?? [], { env: variables, timeout }, (error, stdout, stderr) =>
      error ? reject(failed(path, stderr, error, installHint)) : resolve(stdout),
    );
  });
};

/** Resolves paths relative to `directory`. Fetches one token at a time and caches it until its expiry. */
export const execTokens = (exec: Exec, directory: string, now: () => number = Date.now): Tokens => {
  let kept: { token: string; until: number } | undefined;
  let asked: Promise<string> | undefined;
  const ask = async (): Promise<string> => {
    const found = parsed(await runPlugin(exec, directory));
    if (!found) throw new CliError(`no token for this control plane: ${exec.command} did not print an ExecCredential`);
    kept = found;
    return found.token;
  };
  return {
    get: async () => {
      if (kept && kept.until > now()) return kept.token;
      asked ??= ask().finally(() => {
        asked = undefined;
      });
      return asked;
    },
    refused: () => {
      kept = undefined;
      return true;
    },
  };
};
