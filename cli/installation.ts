/** Commands on the installation: orphans and thaw. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Installation, Orphan } from '../kinds/capstan/installation/index.ts';
import { operationAnnotations } from '../kinds/core/contract/target.ts';
import type { KubeObject } from '../machinery/api/object.ts';
import type { ApiClient } from './client.ts';
import { CliError } from './errors.ts';
import { renderItems } from './output.ts';
import { restoringAnnotation } from './restore/restoring.ts';
import { duration } from './table.ts';

export const installationPath = '/apis/capstan.dev/v1alpha1/installations/capstan';
const path = installationPath;

export const readInstallation = async (client: ApiClient): Promise<Installation> => {
  const installation = await client.find<Installation>(path);
  if (!installation)
    throw new CliError('there is no object Installation capstan: restart the control plane to have it again');
  return installation;
};

/** That a restore of objects has begun and has not ended, and how to go on; undefined otherwise. */
export const unfinishedRestore = ({ metadata }: Installation): string | undefined => {
  const command = metadata.annotations?.[restoringAnnotation];
  if (command === undefined) return undefined;
  return `A restore has begun and has not ended, so that only some objects are restored. If it does not run any more:  ${command}`;
};

/** False also where the user may not know. */
export const isFrozen = async (client: ApiClient): Promise<boolean> => {
  try {
    return (await client.find<Installation>(path))?.status?.frozen !== undefined;
  } catch {
    return false;
  }
};

/** The former owner of a resource. */
const lost = ({ clusterUid, machineUid, installation }: Orphan): string => {
  if (installation) return `Cluster ${clusterUid} of installation ${installation}`;
  if (machineUid) return `AWSMachine ${machineUid}`;
  return clusterUid ? `Cluster ${clusterUid}` : 'it names no cluster';
};

/** Another installation's resources of a cluster that was moved here carry that one's tag. */
const tagOf = (orphans: readonly Orphan[]): string => {
  const others = [...new Set(orphans.flatMap(({ installation }) => installation ?? []))].sort();
  if (others.length === 0) return 'the tag of this installation';
  const theirs = `the tag of installation ${others.join(', ')}, from which their cluster was moved here`;
  return orphans.every(isElsewhere) ? theirs : `the tag of this installation, or ${theirs}`;
};

const isElsewhere = ({ installation }: Orphan): boolean => installation !== undefined;
const movedOn = `
If such a cluster was moved on since, the installation that has its objects looks after them: leave them alone.`;

const advice = (orphans: readonly Orphan[], count: number): string => `
${count === 1 ? 'This resource carries' : `These ${count} resources carry`} ${tagOf(orphans)}, and what they were made for is not here.${
  orphans.length < count ? ` The first ${orphans.length} are shown.` : ''
}
Capstan does not touch them, and AWS goes on charging for them. If their objects were lost, restore them from a backup:
with the same uids they have an owner again. If you do not need them, delete them in the AWS account.${orphans.some(isElsewhere) ? movedOn : ''}`;

/** How long orphan searches have had the same result. `now` in milliseconds. */
export const sweepOf = ({ status }: Installation, now: number): string => {
  const { lastTransitionTime } = status ?? {};
  if (lastTransitionTime === undefined)
    return 'The account has not been searched for orphans yet: the installation controller has not run.';
  const age = duration(now - Date.parse(lastTransitionTime));
  return `Every search of the account since ${age} ago found the same.`;
};

/** Candidates, which become orphans unless their owners appear within minutes. */
export const missingOwners = ({ status }: Installation): string[] => {
  const { missing = [], orphanCount = 0 } = status ?? {};
  if (missing.length === 0 || orphanCount > 0) return [];
  const owners = missing.length === 1 ? '1 owner is' : `${missing.length} owners are`;
  return [
    `${owners} missing since ${missing.map(({ since }) => since).sort()[0]}: what they own counts as orphaned after some minutes. List again then.`,
  ];
};

/** They are no orphans: a restore left them for its user. */
const keptCopies = ({ status }: Installation): string[] => {
  const { kept = [] } = status ?? {};
  if (kept.length === 0) return [];
  const rows = renderItems(kept, undefined, ['TYPE', 'ID', 'REGION', 'CLUSTER', 'OF', 'SINCE', 'KEPT UNTIL'], (one) => [
    one.type,
    one.id,
    one.region,
    one.cluster ?? one.name ?? '',
    one.of ?? '',
    one.since ?? '',
    one.until ?? '',
  ]);
  const faults = kept.flatMap(({ id, fault }) => (fault ? [`${id} is never deleted: ${fault}.`] : []));
  return [`\nKept aside by restores, and deleted then (docs/snapshots.md says how to read them):\n${rows}`, ...faults];
};

/** The output of `capstan orphans list`. */
export const renderOrphans = (installation: Installation, output: string | undefined, now: number): string => {
  const { status } = installation;
  const { orphans = [], orphanCount = orphans.length, unreadable = [] } = status ?? {};
  const table = renderItems(orphans, undefined, ['TYPE', 'ID', 'REGION', 'NAME', 'LOST'], (one) => [
    one.type,
    one.id,
    one.region,
    one.name ?? '',
    lost(one),
  ]);
  if (output === 'json') {
    const { lastTransitionTime } = status ?? {};
    return JSON.stringify(
      { ...(lastTransitionTime && { lastTransitionTime }), items: orphans, kept: status?.kept ?? [], unreadable },
      null,
      2,
    );
  }
  if (status?.lastTransitionTime === undefined) return sweepOf(installation, now);
  const blind = unreadable.length > 0 ? [`\nCould not look into ${unreadable.join(', ')}.`] : [];
  const candidates = missingOwners(installation);
  const none = candidates.length > 0 ? candidates : ['No orphans found.'];
  const found = orphans.length > 0 ? [table, advice(orphans, orphanCount)] : none;
  return [...found, ...keptCopies(installation), ...blind, sweepOf(installation, now)].join('\n');
};

/** Polls for three minutes, because a sleeping installation has to wake first. */
const mostLooks = 720;
/** Milliseconds between two polls. */
const defaultPause = 250;

const isGoing = (object: KubeObject): boolean =>
  object.metadata.deletionTimestamp !== undefined ||
  object.metadata.annotations?.[operationAnnotations.target] === 'Nothing';

/** Objects that controllers would continue to delete: they may be stale requests from before the restore. */
const goingDown = async (client: ApiClient): Promise<string[]> => {
  const found: string[] = [];
  for (const [kind, plural] of [
    ['Cluster', 'clusters'],
    ['Machine', 'machines'],
  ] as const) {
    const { items } = await client.json<{ items: KubeObject[] }>('GET', `/apis/cluster.x-k8s.io/v1beta2/${plural}`);
    found.push(...items.filter(isGoing).map(({ metadata }) => `${kind} ${metadata.namespace}/${metadata.name}`));
  }
  return found;
};

/** Lifts the freeze and waits until the installation acts. Refuses without consent if objects are being deleted. */
export const thaw = async (
  client: ApiClient,
  { yes = false, pause = defaultPause }: { yes?: boolean; pause?: number } = {},
): Promise<string> => {
  const installation = await readInstallation(client);
  const { frozen } = installation.status ?? {};
  if (!frozen) return 'The installation is not frozen.';
  const unfinished = unfinishedRestore(installation);
  if (unfinished !== undefined && !yes)
    throw new CliError(`${unfinished}\nTo have controllers act on these objects all the same: capstan thaw --yes`);
  const going = yes ? [] : await goingDown(client);
  if (going.length > 0) {
    const what = going.map((one) => `  ${one}`).join('\n');
    throw new CliError(
      `these are being deleted or torn down as these objects have it, and that would go on:\n${what}\nIf that is right: capstan thaw --yes`,
    );
  }
  const body = JSON.stringify({ spec: { resume: frozen.id } });
  await client.json('PATCH', path, { body, contentType: 'application/merge-patch+json' });
  for (let look = 0; look < mostLooks; look++) {
    const now = (await readInstallation(client)).status?.frozen;
    if (now?.id !== frozen.id) return `Freeze ${frozen.id} (${frozen.reason}) is lifted; the controllers act again.`;
    await wait(pause);
  }
  throw new CliError(
    `freeze ${frozen.id} is told to end, and is still there after three minutes: look again with  kubectl get installation capstan -o yaml  , and into the logs of the workers`,
  );
};
