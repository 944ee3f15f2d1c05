import type { KubeadmControlPlane } from '../../../../kinds/controlplane-kubeadm/kubeadm-control-plane/index.ts';
import type { Machine } from '../../../../kinds/core/machine/index.ts';
import type { MachineDeployment } from '../../../../kinds/core/machine-deployment/index.ts';
import type { MachineSet } from '../../../../kinds/core/machine-set/index.ts';
import type { KubeObject } from '../../../../machinery/api/object.ts';
import { type Claim, eventually } from '../eventually.ts';
import { controlled, isGoing, isWorkedOn } from '../relations.ts';
import type { Rule } from '../rule.ts';

/** Labels and annotations that only users write. All others have other sources too. */
const users = /^([^/]+\.)?(node\.cluster\.x-k8s\.io|node-restriction\.kubernetes\.io|example\.com)\//;
/** Readiness gates that the control plane adds. */
const added =
  /^(APIServerPodHealthy|ControllerManagerPodHealthy|SchedulerPodHealthy|Etcd(Pod|Member)Healthy|NodeKubeadmLabelsAndTaintsSet)$/;

type Texts = Record<string, string>;
interface Template {
  metadata?: { labels?: Texts; annotations?: Texts };
  spec?: {
    deletion?: object;
    taints?: unknown[];
    minReadySeconds?: number;
    readinessGates?: { conditionType: string }[];
  };
}
const nameOf = ({ kind, metadata }: KubeObject) => `${kind} ${metadata.namespace}/${metadata.name}`;
const ofUsers = (texts: Texts = {}) =>
  Object.fromEntries(
    Object.entries(texts)
      .filter(([key]) => users.test(key))
      .sort(),
  );

export const inPlace: Rule = (setting, broken) => {
  const { mirror } = setting.world;

  function* texts(name: string, carried: Template['metadata'], asked: Template['metadata']): Generator<Claim> {
    for (const sort of ['labels', 'annotations'] as const) {
      yield { what: `${sort} of ${name}`, is: ofUsers(carried?.[sort]), should: ofUsers(asked?.[sort]) };
      for (const [key, value] of Object.entries(asked?.[sort] ?? {}))
        if (!users.test(key)) yield { what: `${sort} ${key} of ${name}`, is: carried?.[sort]?.[key], should: value };
    }
  }
  const partsOf = (machine: Machine): KubeObject[] =>
    [machine.spec?.infrastructureRef, machine.spec?.bootstrap.configRef].flatMap((reference) => {
      const part = reference && mirror.get<KubeObject>(reference.kind!, machine.metadata.namespace!, reference.name!);
      return part && !isGoing(part) ? [part] : [];
    });

  /** For a Machine in deletion only the deletion settings propagate. */
  function* ofMachine(machine: Machine, { metadata, spec }: Template): Generator<Claim> {
    const name = nameOf(machine);
    const deletion = { nodeDeletionTimeoutSeconds: 10, ...spec?.deletion };
    yield { what: `deletion of ${name}`, is: machine.spec?.deletion, should: deletion };
    if (isGoing(machine)) return;
    for (const field of ['taints', 'minReadySeconds'] as const)
      yield { what: `${field} of ${name}`, is: machine.spec?.[field], should: spec?.[field] };
    const gates = (machine.spec?.readinessGates ?? []).filter(({ conditionType }) => !added.test(conditionType));
    yield { what: `gates of ${name}`, is: gates, should: spec?.readinessGates ?? [] };
    for (const object of [machine, ...partsOf(machine)]) yield* texts(nameOf(object), object.metadata, metadata);
  }

  function* ofSet(set: MachineSet, deployment: MachineDeployment): Generator<Claim> {
    const name = nameOf(set);
    const [is, should] = [set, deployment].map(({ spec }) => (spec?.template ?? {}) as Template);
    yield* texts(`the template of ${name}`, is!.metadata, should!.metadata);
    for (const field of ['taints', 'minReadySeconds', 'deletion', 'readinessGates'] as const)
      yield { what: `${field} of the template of ${name}`, is: is!.spec?.[field], should: should!.spec?.[field] };
    yield { what: `deletion order of ${name}`, is: set.spec?.deletion, should: deployment.spec?.deletion };
    yield { what: `machineNaming of ${name}`, is: set.spec?.machineNaming, should: deployment.spec?.machineNaming };
    const [has, asked] = [set, deployment].map(({ metadata }) => ofUsers(metadata.annotations));
    for (const [key, value] of Object.entries(asked!))
      yield { what: `annotation ${key} of ${name}`, is: has![key], should: value };
  }

  const isLed = (object: KubeObject) => !isGoing(object) && isWorkedOn(mirror, object);
  return eventually(setting, broken, function* () {
    // The controller of a paused deployment changes replica counts only.
    for (const deployment of mirror.all<MachineDeployment>('MachineDeployment').filter(isLed))
      for (const set of controlled<MachineSet>(mirror, 'MachineSet', deployment).filter(isLed))
        if (!deployment.spec?.paused) yield* ofSet(set, deployment);
    for (const set of mirror.all<MachineSet>('MachineSet').filter(isLed))
      for (const machine of controlled<Machine>(mirror, 'Machine', set))
        yield* ofMachine(machine, (set.spec?.template ?? {}) as Template);
    // Changes do not propagate to control plane Machines in deletion.
    for (const controlPlane of mirror.all<KubeadmControlPlane>('KubeadmControlPlane').filter(isLed))
      for (const machine of controlled<Machine>(mirror, 'Machine', controlPlane))
        if (!isGoing(machine)) yield* ofMachine(machine, (controlPlane.spec?.machineTemplate ?? {}) as Template);
  });
};
