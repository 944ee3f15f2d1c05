/** `capstan logs`: logs of the functions on AWS, or of the local process. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { logFileOf } from '../local/log-file.ts';
import type { ApiClient, Deployment } from './client.ts';
import { CliError } from './errors.ts';
import type { Print } from './output.ts';

export interface LogsOptions {
  /** Minutes. */
  since: number;
  follow?: boolean;
}

const period = 2_000;
/** Milliseconds. CloudWatch may show an entry later than newer ones of other functions. */
const overlap = 30_000;

const functionLogs = async (
  deployment: Deployment,
  name: string | undefined,
  since: number,
  options: LogsOptions,
  print: Print,
) => {
  const { functionsNamed, openLogs, readLogs } = await import('./aws/function-logs.ts');
  const functions = functionsNamed(name);
  const logs = openLogs(deployment);
  const seen = new Set<string>();
  let from = since;
  do {
    const lines = await readLogs(logs, deployment, functions, from);
    for (const { at, function: of, text, id } of lines) {
      if (seen.has(id)) continue;
      seen.add(id);
      print(`${new Date(at).toISOString()} ${of} ${text}`);
    }
    from = Math.max(from, (lines.at(-1)?.at ?? from) - overlap);
    if (options.follow) await wait(period);
  } while (options.follow);
};

/** Lines since a time. A multi-line entry has the time of its first line. A pure function. */
export const linesSince = (text: string, since: number): string[] => {
  const lines = text.split('\n').slice(0, -1);
  const first = lines.findIndex((line) => Date.parse(line.split(' ', 1)[0] ?? '') >= since);
  return first < 0 ? [] : lines.slice(first);
};

const fileLogs = async (path: string, since: number, { follow }: LogsOptions, print: Print): Promise<void> => {
  if (!existsSync(path))
    throw new CliError(`there is no log at ${path}: does the kubeconfig lie where the control plane keeps its data?`);
  let printed = readFileSync(path, 'utf8');
  for (const line of linesSince(printed, since)) print(line);
  while (follow) {
    await wait(period);
    const now = readFileSync(path, 'utf8');
    // A shorter file was rotated, so print all of it.
    const more = now.startsWith(printed) ? now.slice(printed.length) : now;
    for (const line of more.split('\n').filter(Boolean)) print(line);
    printed = now;
  }
};

export const printLogs = async (
  client: ApiClient,
  kubeconfig: string,
  name: string | undefined,
  options: LogsOptions,
  print: Print = console.log,
): Promise<void> => {
  const since = Math.round(Date.now() - options.since * 60_000);
  if (client.deployment) return functionLogs(client.deployment, name, since, options, print);
  if (name !== undefined) throw new CliError('a control plane on a laptop is one process: leave out the function', 2);
  await fileLogs(logFileOf(dirname(kubeconfig)), since, options, print);
};
