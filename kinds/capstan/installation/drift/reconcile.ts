import type { KubeObject } from '../../../../machinery/api/object.ts';
import { type Action, type Context, found, type Plan } from '../../../../machinery/api/reconcile.ts';
import { speedOf } from '../../../../machinery/api/speed.ts';
import * as cluster from '../../../infrastructure-aws/aws-cluster/differs.ts';
import * as machine from '../../../infrastructure-aws/aws-machine/differs.ts';
import { deleteStrandedSecrets, launcherTag } from '../../../infrastructure-aws/aws-machine/stranded.ts';
import { clusterUidTag, installationTag } from '../../../infrastructure-aws/engine/tags.ts';
import type { Tag } from '../../../ports/cloud/index.ts';
import { callCloud, callInstallation } from '../../../ports/index.ts';
import type { Survey } from '../../../ports/installation.ts';
import { isTagged, lists } from '../../../ports/lists.ts';
import { mayBeUnlisted } from '../stale-pass.ts';
import type { Observed, Settled } from './observe.ts';

/**
 * Seconds between sweeps: how long a change without an event may go unnoticed. `shortPeriod`
 * applies after a stale pass.
 */
export const period = 3600;
export const shortPeriod = 300;

const uidIn = ({ Tags }: { Tags?: Tag[] }): string => Tags?.find(({ Key }) => Key === clusterUidTag)?.Value ?? '';

/** Splits a survey by cluster uid. Pages without tags go to every cluster. */
const surveyOf = (survey: Survey): ((uid: string) => Survey) => {
  const pages = Object.entries(survey).map(([name, page]) => {
    const groups =
      Object.hasOwn(lists, name) && isTagged(name) ? Map.groupBy(page as { Tags?: Tag[] }[], uidIn) : undefined;
    return [name, (uid: string) => (groups ? (groups.get(uid) ?? []) : page)] as const;
  });
  return (uid) => ({ ...survey, ...Object.fromEntries(pages.map(([name, of]) => [name, of(uid)])) });
};

/** Objects of one region whose resources differ from what they should be. */
export const drifted = (
  region: string,
  settled: readonly Settled[],
  survey: Survey,
): { clusters: KubeObject[]; machines: KubeObject[] } => {
  const shownOf = surveyOf(survey);
  const clusters: KubeObject[] = [];
  const machines: KubeObject[] = [];
  for (const { awsCluster, owner, apiPorts, machines: all } of settled) {
    const shown = shownOf(owner.clusterUid);
    if (cluster.differs(awsCluster, { owner, apiPorts, survey: shown })) clusters.push(awsCluster);
    const { instances, addresses } = shown;
    for (const one of all)
      if (machine.differs(one, { owner, region, awsCluster, instances, addresses })) machines.push(one);
  }
  return { clusters, machines };
};

const wake = (controller: 'aws-cluster' | 'aws-machine', objects: KubeObject[]): Action[] => {
  const keys = objects.map(({ metadata: { namespace = '', name } }) => ({ namespace, name }));
  return keys.length > 0 ? [callInstallation('Wake', { controller, objects: keys })] : [];
};

const takeAway = (installation: string, { region, stale }: Observed['regions'][number]): Action[] => [
  ...stale.instances.map((instance) => {
    const owned = { [installationTag]: installation, ...launcherTag(instance) };
    return callCloud(region, 'TerminateInstances', { InstanceIds: [instance.InstanceId] }, owned);
  }),
  ...deleteStrandedSecrets(installation, region, stale.secrets),
];

/**
 * Wakes the objects whose resources differ from what they should be. It keeps no state: a
 * difference that persists wakes its object again in the next sweep. Deletes what stalled workers
 * created when it was not needed any more.
 */
export const reconcile = (observed: Observed, { config, installation, now }: Context): Plan => {
  const { any, regions } = observed;
  if (any === false) return {};
  const speed = speedOf(config);
  const every = mayBeUnlisted(observed.installation, now, speed) ? shortPeriod : period;
  const seen = regions.flatMap(({ region, settled, survey }) => {
    const shown = found(survey);
    return shown ? [drifted(region, settled, shown)] : [];
  });
  return {
    actions: [
      ...wake(
        'aws-cluster',
        seen.flatMap(({ clusters }) => clusters),
      ),
      ...wake(
        'aws-machine',
        seen.flatMap(({ machines }) => machines),
      ),
      ...regions.flatMap((one) => takeAway(installation, one)),
    ],
    // An unreadable region fails the pass, which backs off and retries.
    ...(seen.length === regions.length && { requeueAfter: every / speed }),
  };
};
