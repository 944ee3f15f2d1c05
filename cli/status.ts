/** `capstan status`: a summary of the control plane. */
import type { Installation } from '../kinds/capstan/installation/index.ts';
import type { Condition, KubeObject } from '../machinery/api/object.ts';
import type { Measures } from './aws/measures.ts';
import type { ApiClient, Deployment } from './client.ts';
import { CliError } from './errors.ts';
import { missingOwners, readInstallation, sweepOf, unfinishedRestore } from './installation.ts';
import type { Print } from './output.ts';
import { duration } from './table.ts';
import { versionOf } from './version.ts';

interface Process {
  started: string;
  watches: number;
}

export interface Status {
  version: string;
  serverVersion: string;
  url: string;
  deployment?: Deployment;
  installation: Installation;
  clusters: { total: number; available: number };
  /** Of a local control plane. */
  process?: Process;
  /** Of a deployed one, or the reason why they are unknown. */
  measures?: Measures | { unknown: string };
}

const isAvailable = ({ status }: KubeObject): boolean =>
  ((status as { conditions?: Condition[] } | undefined)?.conditions ?? []).some(
    (each) => each.type === 'Available' && each.status === 'True',
  );

const measuresOf = async (deployment: Deployment): Promise<Status['measures']> => {
  const { measure } = await import('./aws/measures.ts');
  try {
    return await measure(deployment, Date.now());
  } catch (error) {
    return { unknown: (error as Error).message };
  }
};

/** Who has rights in a namespace alone has other questions. */
const withAdvice = (error: Error): never => {
  if (!error.message.includes('is forbidden')) throw error;
  throw new CliError(
    `${error.message}: users with the ClusterRole capstan:viewer may. Your clusters:  capstan get clusters`,
  );
};

export const readStatus = async (client: ApiClient): Promise<Status> => {
  const { deployment, server: url } = client;
  const [{ gitVersion }, installation, { items }, process, measures] = await Promise.all([
    client.json<{ gitVersion: string }>('GET', '/version'),
    readInstallation(client),
    client.json<{ items: KubeObject[] }>('GET', '/apis/cluster.x-k8s.io/v1beta2/clusters'),
    deployment ? undefined : client.find<Process>('/capstan.dev/process'),
    deployment && measuresOf(deployment),
  ]).catch(withAdvice);
  return {
    version: versionOf(),
    serverVersion: gitVersion,
    url,
    ...(deployment && { deployment }),
    installation,
    clusters: { total: items.length, available: items.filter(isAvailable).length },
    ...(process && { process }),
    ...(measures && { measures }),
  };
};

const frozenOf = (installation: Installation): string => {
  const { frozen } = installation.status ?? {};
  const unfinished = unfinishedRestore(installation);
  if (!frozen) return unfinished ?? 'no';
  const since = frozen.since ? ` since ${frozen.since}` : '';
  return `YES${since}, ${frozen.reason}: ${frozen.message ?? ''} ${unfinished ?? 'Look, then: capstan thaw'}`;
};

const orphansOf = (installation: Installation, now: number): string => {
  const { lastTransitionTime, orphanCount = 0, unreadable = [] } = installation.status ?? {};
  if (lastTransitionTime === undefined) return sweepOf(installation, now);
  const advice = orphanCount > 0 ? ' See: capstan orphans list.' : '';
  const blind = unreadable.length > 0 ? ` Could not look into ${unreadable.join(', ')}.` : '';
  const candidates = missingOwners(installation).map((one) => ` ${one}`);
  return `${orphanCount}.${advice}${candidates.join('')}${blind} ${sweepOf(installation, now)}`;
};

const unmeasured = 'no measurement in the last 15 minutes';

const queueLines = ({ queues }: Measures): string[] => {
  const busy = queues.filter(({ age, waiting }) => (age ?? 0) > 0 || (waiting ?? 0) > 0);
  if (queues.every(({ age, waiting }) => age === undefined && waiting === undefined)) return [unmeasured];
  if (busy.length === 0) return ['empty'];
  return busy.map(
    ({ name, age = 0, waiting = 0 }) => `${name}: oldest message ${duration(age * 1000)} old, ${waiting} waiting`,
  );
};

const measuredRows = (measures: Status['measures']): [string, string][] => {
  if (!measures) return [];
  if ('unknown' in measures) return [['queues', `unknown: ${measures.unknown}`]];
  const [first = '', ...rest] = queueLines(measures);
  const { watches } = measures;
  return [
    ['queues', first],
    ...rest.map((line): [string, string] => ['', line]),
    ['watches', watches === undefined ? unmeasured : `${watches} open at most in the last minute measured`],
  ];
};

/** A pure function. `now` in milliseconds. */
export const renderStatus = (status: Status, now: number): string => {
  const { deployment, installation, clusters, process } = status;
  const where = deployment
    ? `AWS account ${deployment.account}, ${deployment.region}, installation ${deployment.installation}`
    : 'this machine, with a simulated AWS account';
  const rows: [string, string][] = [
    ['capstan', `${status.version} (serves Kubernetes API ${status.serverVersion})`],
    ['url', status.url],
    ['runs in', where],
    ...(process ? [['up for', duration(now - Date.parse(process.started))] as [string, string]] : []),
    ['clusters', `${clusters.total}, ${clusters.available} of them available`],
    ['frozen', frozenOf(installation)],
    ['orphans', orphansOf(installation, now)],
    ...measuredRows(status.measures),
    ...(process ? [['watches', `${process.watches} open`] as [string, string]] : []),
    [
      'cost',
      deployment
        ? `not known here; Cost Explorer groups it by the tag capstan.dev/control-plane=${deployment.installation}, once that is activated`
        : 'nothing: the account is simulated',
    ],
  ];
  return rows.map(([name, value]) => `${name.padEnd(10)}${value}`.trimEnd()).join('\n');
};

export const printStatus = async (
  client: ApiClient,
  output: string | undefined,
  print: Print = console.log,
): Promise<void> => {
  const status = await readStatus(client);
  if (output !== 'json') return print(renderStatus(status, Date.now()));
  const { installation, ...rest } = status;
  print(JSON.stringify({ ...rest, installation: installation.status ?? {} }, null, 2));
};
