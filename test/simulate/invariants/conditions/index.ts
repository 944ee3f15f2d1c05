import type { Cluster } from '../../../../kinds/core/cluster/index.ts';
import type { Machine } from '../../../../kinds/core/machine/index.ts';
import type { WorkloadSnapshotObject } from '../../../../kinds/core/workload-snapshot/index.ts';
import type { AWSMachine } from '../../../../kinds/infrastructure-aws/aws-machine/index.ts';
import type { Condition, KubeObject } from '../../../../machinery/api/object.ts';
import { type Claim, eventually } from '../eventually.ts';
import { unheard } from '../grace.ts';
import { clusterName, isGoing, isTrue, isWorkedOn, verdictOf } from '../relations.ts';
import type { Rule, Rules } from '../rule.ts';
import { aggregation } from './aggregation.ts';
import { consistency } from './consistency.ts';
import { finalStatus } from './final.ts';
import { machineConditions } from './machine.ts';
import { transitions } from './transitions.ts';

/** The format of metav1.Time. */
const isTime = (text: string | undefined) => text === undefined || /^\d{4}(-\d\d){2}T\d\d(:\d\d){2}Z$/.test(text);

const plausible: Rule = ({ world, has }, broken) => {
  const positions = new Map<string, number>();
  const { account, guests } = world;
  let served = Number.NEGATIVE_INFINITY;
  return {
    onCommit: ({ type, position, namespace, name, object, before }) => {
      const id = `${type} ${namespace}/${name}`;
      const last = positions.get(id) ?? 0;
      if (position <= last) throw broken(`${id} has resourceVersion ${position} after ${last}`);
      positions.set(id, position);
      if (guests.clusters.all().length > 0) served = world.clock.now();
      if (!object) return;
      const { generation = 0, uid } = object.metadata;
      const { observedGeneration, conditions = [] } = (object.status ?? {}) as {
        observedGeneration?: number;
        conditions?: Condition[];
      };
      const { creationTimestamp, deletionTimestamp } = object.metadata;
      const odd = [creationTimestamp, deletionTimestamp].find((time) => !isTime(time));
      if (odd !== undefined) throw broken(`${id} has the malformed time ${odd}`);
      const seen = Math.max(observedGeneration ?? 0, ...conditions.map((one) => one.observedGeneration ?? 0));
      if (seen > generation) throw broken(`${id} observed generation ${seen} of ${generation}`);
      if (before && before.metadata.uid === uid && (before.metadata.generation ?? 0) > generation)
        throw broken(`the generation of ${id} went back to ${generation}`);
      if (object.kind === 'AWSMachine' && isTrue(object, 'Ready') && !isTrue(before, 'Ready')) {
        const instance = (object as AWSMachine).spec?.instanceID;
        const found = account.list().find((one) => one.id === instance);
        if (!found || found.state === 'pending') throw broken(`${id} is Ready with ${instance} ${found?.state}`);
      }
      if (object.kind === 'Cluster' && isTrue(object, 'Available') && !isTrue(before, 'Available')) {
        const cluster = object as Cluster;
        const host = cluster.spec?.controlPlaneEndpoint?.host;
        // A probe's result reaches the status one or two passes later, so a lost API server may
        // still count.
        if (!host || world.clock.now() - served > unheard(has)) throw broken(`${id} is Available without an API`);
      }
    },
  };
};

const observedGeneration: Rule = ({ world, isRuined = () => false }, broken) => {
  const expectNewest = ({ kind, metadata, status }: KubeObject) => {
    const { observedGeneration, conditions = [] } = (status ?? {}) as {
      observedGeneration?: number;
      conditions?: Condition[];
    };
    const all = [observedGeneration, ...conditions.map((one) => one.observedGeneration)];
    const generations = all.filter((one) => one !== undefined);
    const least = Math.min(...generations);
    if (generations.length > 0 && least < (metadata.generation ?? 0))
      throw broken(`${kind} ${metadata.name} has observedGeneration ${least}, but generation ${metadata.generation}`);
  };
  const { mirror, account } = world;
  const expectPlace = ({ metadata, spec }: Machine) => {
    const { namespace = '', name } = metadata;
    const host = mirror.get<AWSMachine>('AWSMachine', namespace, spec?.infrastructureRef?.name ?? '');
    const instance = account.list().find(({ id }) => id === host?.spec?.instanceID);
    if (spec?.failureDomain && instance?.zone !== spec.failureDomain)
      throw broken(`${name} is in ${instance?.zone}, not in ${spec.failureDomain}`);
  };
  return {
    atEnd: () => {
      if (isRuined()) return;
      for (const object of mirror.everything()) expectNewest(object);
      for (const machine of mirror.all<Machine>('Machine')) expectPlace(machine);
    },
  };
};

const minute = 60_000;
/** How long the last observation stays valid. */
const grace = { connection: minute, nodes: 5 * minute };

const connectionProbe: Rule = (setting, broken) => {
  const { clock, mirror } = setting.world;

  function* ofMachines({ metadata }: Cluster): Generator<Claim> {
    for (const machine of mirror.all<Machine>('Machine')) {
      const { namespace, name, labels = {} } = machine.metadata;
      const isOf = namespace === metadata.namespace && labels[clusterName] === metadata.name;
      if (!isOf || !machine.status?.nodeRef || isGoing(machine) || !isWorkedOn(mirror, machine)) continue;
      for (const type of ['NodeReady', 'NodeHealthy'])
        yield {
          what: `${type} of ${name}, whose cluster is unreachable,`,
          is: verdictOf(machine, type),
          should: 'Unknown',
        };
    }
  }

  return eventually(setting, broken, function* () {
    for (const cluster of mirror.all<Cluster>('Cluster')) {
      const { namespace = '', name } = cluster.metadata;
      const seen = mirror.get<WorkloadSnapshotObject>('WorkloadSnapshot', namespace, name);
      const isOwn = seen?.metadata.ownerReferences?.some(({ uid }) => uid === cluster.metadata.uid);
      const isBegun = cluster.status?.initialization?.controlPlaneInitialized === true;
      if (!isOwn || !isBegun || isGoing(cluster) || !isWorkedOn(mirror, cluster)) continue;
      const reference = cluster.spec?.controlPlaneRef?.name ?? '';
      const hasControlPlane = mirror.get('KubeadmControlPlane', namespace, reference) !== undefined;
      const hasKubeconfig = mirror.get('Secret', namespace, `${name}-kubeconfig`) !== undefined;
      const { unreachableSince, reachable } = seen?.spec ?? {};
      const lasts = unreachableSince ? clock.now() - Date.parse(unreachableSince) : undefined;
      const is = verdictOf(cluster, 'RemoteConnectionProbe');
      const what = `whether ${name} answers`;
      const isLost = !hasControlPlane && !hasKubeconfig;
      if (isLost)
        yield {
          what: `whether ${name}, which has no kubeconfig, is reported unreachable`,
          is: lasts !== undefined,
          should: true,
        };
      if (!isLost && lasts === undefined && reachable) yield { what, is, should: 'True' };
      if (lasts !== undefined && lasts > grace.connection) yield { what, is, should: 'False' };
      if (lasts !== undefined && lasts > grace.nodes) yield* ofMachines(cluster);
    }
  });
};

export const conditionsRules: Rules = {
  'times, generations and readiness are plausible': plausible,
  'everything is observed in its newest generation in the end': observedGeneration,
  'an unreachable cluster is reported within minutes': connectionProbe,
  'phases, counts and conditions of an object agree': consistency,
  'replica counts and summary conditions follow their parts': aggregation,
  'conditions of a Machine follow its parts, its Node and its gates': machineConditions,
  'every status is correct in the end': finalStatus,
  'transition times, generations and finalizers change as they should': transitions,
};
