import { isDeepStrictEqual } from 'node:util';
import type { KubeadmControlPlane } from '../../../../kinds/controlplane-kubeadm/kubeadm-control-plane/index.ts';
import type { Machine } from '../../../../kinds/core/machine/index.ts';
import type { MachineDeployment } from '../../../../kinds/core/machine-deployment/index.ts';
import type { MachineSet } from '../../../../kinds/core/machine-set/index.ts';
import type { KubeObject } from '../../../../machinery/api/object.ts';
import { lastApplied, revision } from '../relations.ts';
import type { Rule } from '../rule.ts';

const origin = { name: 'cluster.x-k8s.io/cloned-from-name', kind: 'cluster.x-k8s.io/cloned-from-groupkind' };
/** Annotations that a deployment does not propagate to its sets. */
const ownNotes = /^(machinedeployment\.clusters\.x-k8s\.io|capstan\.dev|kubectl\.kubernetes\.io)\/|conversion-data$/;
const users = /^(node\.cluster\.x-k8s\.io|example\.com)\//;

type Texts = Record<string, string>;
interface Template {
  metadata?: { labels?: Texts; annotations?: Texts };
  spec?: { deletion?: object; taints?: unknown[]; minReadySeconds?: number; readinessGates?: unknown[] };
}
type Made = KubeObject<{ infrastructureRef?: { name: string; kind: string } }>;

export const inPlaceFinal: Rule = ({ world, has, wanted }, broken) => {
  const { mirror } = world;
  const fail = ({ kind, metadata }: KubeObject, what: string) => {
    throw broken(`${kind} ${metadata.name} ${what}`);
  };
  const controlled = <T extends KubeObject>(kind: string, { metadata: { uid } }: KubeObject): T[] =>
    mirror
      .all<T>(kind)
      .filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.controller && owner.uid === uid))
      .filter(({ metadata }) => !metadata.deletionTimestamp);
  /**
   * The object has all labels or annotations of the template, and none that the user removed from
   * it.
   */
  const expectTexts = (object: KubeObject, of: 'labels' | 'annotations', asked: Texts = {}) => {
    const carried = object.metadata[of] ?? {};
    for (const [key, value] of Object.entries(asked))
      if (carried[key] !== value) fail(object, `has ${key} ${carried[key]}, not ${value}`);
    for (const key of Object.keys(carried))
      if (users.test(key) && !(key in asked)) fail(object, `still has ${key}, which its template dropped`);
  };
  const expectMade = (machine: Machine, { metadata, spec }: Template, template: string | undefined) => {
    const config = machine.spec?.bootstrap.configRef;
    const host = machine.spec?.infrastructureRef;
    const parts = [
      mirror.get<KubeObject>('AWSMachine', machine.metadata.namespace!, host?.name ?? ''),
      mirror.get<KubeObject>('KubeadmConfig', machine.metadata.namespace!, config?.name ?? ''),
    ].filter((part) => part !== undefined);
    for (const object of [machine, ...parts]) {
      expectTexts(object, 'labels', metadata?.labels);
      expectTexts(object, 'annotations', metadata?.annotations);
    }
    const deletion = { nodeDeletionTimeoutSeconds: 10, ...spec?.deletion };
    if (!isDeepStrictEqual(machine.spec?.deletion, deletion))
      fail(machine, `has deletion ${JSON.stringify(machine.spec?.deletion)}, not ${JSON.stringify(deletion)}`);
    for (const field of ['minReadySeconds', 'taints'] as const)
      if (!isDeepStrictEqual(machine.spec?.[field], spec?.[field]))
        fail(machine, `has ${field} ${JSON.stringify(machine.spec?.[field])}, not ${JSON.stringify(spec?.[field])}`);
    const { annotations = {} } = parts[0]?.metadata ?? {};
    if (template !== undefined && annotations[origin.name] !== template)
      fail(machine, `has a host cloned from ${annotations[origin.name]}, not from ${template}`);
  };

  const expectDeployment = (deployment: MachineDeployment) => {
    const sets = controlled<MachineSet>('MachineSet', deployment);
    if (sets.length > 1) fail(deployment, `keeps ${sets.map(({ metadata }) => metadata.name).join(' and ')}`);
    for (const set of sets) {
      for (const [key, value] of Object.entries(deployment.metadata.annotations ?? {}))
        if (!ownNotes.test(key) && set.metadata.annotations?.[key] !== value)
          fail(set, `has ${key} ${set.metadata.annotations?.[key]}, but its deployment has ${value}`);
      if (set.metadata.annotations?.[lastApplied] !== undefined) fail(set, 'carries ${lastApplied} of its deployment');
      const [of, is] = [deployment, set].map(({ metadata }) => metadata.annotations?.[revision]);
      if (of !== is) fail(set, `has revision ${is}, but its deployment ${of}`);
      for (const machine of controlled<Machine>('Machine', set))
        expectMade(
          machine,
          (deployment.spec?.template ?? {}) as Template,
          deployment.spec?.template.spec.infrastructureRef.name,
        );
    }
  };
  /** A Machine has the labels of its set's template from its creation, not only after an update. */
  const expectBorn = (machine: KubeObject) => {
    const owner = machine.metadata.ownerReferences?.find(({ controller }) => controller)?.name ?? '';
    const set = mirror.get<MachineSet>('MachineSet', machine.metadata.namespace!, owner);
    // A controller that has not observed the newest generation uses the previous template.
    if (!set || set.status?.observedGeneration !== set.metadata.generation) return;
    for (const [key, value] of Object.entries(set.spec?.template.metadata?.labels ?? {}))
      if (machine.metadata.labels?.[key] !== value) fail(machine, `is created without ${key}=${value}`);
  };
  /** The Machine's name follows the naming template of its owner. */
  const expectNamed = (machine: KubeObject, kind: 'MachineSet' | 'KubeadmControlPlane') => {
    const name = machine.metadata.ownerReferences?.find(({ controller }) => controller)?.name ?? '';
    const owner = mirror.get<MachineSet | KubeadmControlPlane>(kind, machine.metadata.namespace!, name);
    const { template } = owner?.spec?.machineNaming ?? {};
    const beginning = template?.split('{{ .random }}')[0]?.replace(/\{\{ \.\w+\.name \}\}/, name);
    if (beginning && !machine.metadata.name.startsWith(beginning)) fail(machine, `is not named as ${template}`);
  };
  return {
    onCommit: ({ event, object, writer }) => {
      if (event !== 'ADDED') return;
      if (object?.kind === 'Machine' && wanted().length > 0)
        expectNamed(object, writer === 'machine-set' ? 'MachineSet' : 'KubeadmControlPlane');
      const isTimely = !has('worker.late') && !has('worker.frozen');
      if (object?.kind === 'Machine' && writer === 'machine-set' && isTimely) expectBorn(object);
      if (object?.kind !== 'MachineSet') return;
      const of = (one: KubeObject) => Number(one.metadata.annotations?.[revision] ?? 0);
      const owner = object.metadata.ownerReferences?.find(({ controller }) => controller)?.uid;
      for (const other of mirror.all<Made>('MachineSet'))
        if (
          other.metadata.uid !== object.metadata.uid &&
          other.metadata.ownerReferences?.some(({ uid }) => uid === owner) &&
          of(other) >= of(object)
        )
          fail(object, `has revision ${of(object)}, but the older ${other.metadata.name} has ${of(other)}`);
    },
    atEnd: () => {
      for (const deployment of mirror.all<MachineDeployment>('MachineDeployment'))
        if (!deployment.metadata.deletionTimestamp) expectDeployment(deployment);
      for (const controlPlane of mirror.all<KubeadmControlPlane>('KubeadmControlPlane')) {
        const { metadata, spec } = controlPlane.spec?.machineTemplate ?? {};
        for (const machine of controlled<Machine>('Machine', controlPlane))
          expectMade(machine, { metadata, spec } as Template, spec?.infrastructureRef.name);
      }
    },
  };
};
