/**
 * The real machine controllers over the real store, with hosts that are only status fields. Passes run in a
 * seeded order until nothing changes; the changes on the way are the story.
 */
import { memoryKeys } from '../../adapters/memory/keys.ts';
import { memoryNotifier } from '../../adapters/memory/notifier.ts';
import { seededRandom } from '../../adapters/memory/random.ts';
import { memoryTable } from '../../adapters/memory/table.ts';
import { virtualClock } from '../../adapters/memory/virtual-clock.ts';
import { causeRules } from '../../kinds/cause-rules.ts';
import { filledAnnotation, filledNote, givenPatch } from '../../kinds/common/filled.ts';
import { clusterController } from '../../kinds/core/cluster/controller.ts';
import { type Cluster, cluster } from '../../kinds/core/cluster/index.ts';
import { operationAnnotations, type Target, targetOf } from '../../kinds/core/contract/target.ts';
import { machineController } from '../../kinds/core/machine/controller.ts';
import { type Machine, machine } from '../../kinds/core/machine/index.ts';
import { machineDeploymentController } from '../../kinds/core/machine-deployment/controller.ts';
import { machineDeployment } from '../../kinds/core/machine-deployment/index.ts';
import { machineSetController } from '../../kinds/core/machine-set/controller.ts';
import { type MachineSet, machineSet } from '../../kinds/core/machine-set/index.ts';
import { workloadSnapshot } from '../../kinds/core/workload-snapshot/index.ts';
import { namespace as namespaceKind } from '../../kinds/kubernetes/namespace/index.ts';
import { type Kind, type KindDefinition, resourceOf } from '../../machinery/api/kind.ts';
import { isConflict } from '../../machinery/api/lifecycle.ts';
import { mergePatch } from '../../machinery/api/merge.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import { type AnyController, createPass, createWriter, kindsOf } from '../../machinery/controller/index.ts';
import { openStore } from '../../machinery/store/open.ts';
import {
  all,
  configTemplate,
  controlPlane,
  emptySnapshot,
  host,
  hostTemplate,
  infraCluster,
  namespace,
  part,
  reference,
  template,
  toyConfig,
} from './toys.ts';

const controllers: AnyController[] = [
  machineDeploymentController,
  machineSetController,
  machineController({ controlPlanes: [] }),
];

interface WorldOptions {
  seed: number;
  /** Includes the Cluster controller, and the targets of an operation. */
  operated?: boolean;
  /** Includes a Namespace, which may have a quota. */
  limited?: boolean;
}

export const createWorld = async ({ seed, operated = false, limited = false }: WorldOptions) => {
  const known = limited ? [...all, namespaceKind] : all;
  const clock = virtualClock(Date.parse('2026-01-01T00:00:00Z'));
  const random = seededRandom(seed + 1);
  const kinds = kindsOf(known);
  let writes = 0;
  const store = openStore({
    table: memoryTable({ clock }),
    clock,
    random,
    keys: memoryKeys(random),
    kinds: known,
    notifier: memoryNotifier(clock),
    onCommit: () => {
      writes++;
    },
  });
  const writer = createWriter({ store, kinds, clock, random });
  const log = { info: () => {}, error: () => {} };
  const config = { workflows: operated };
  const options = { store, kinds, writer, ports: {}, clock, random, log, installation: 'test', config };
  const running: AnyController[] = operated ? [clusterController({ causeRules }), ...controllers] : controllers;
  const passes = running.map((controller) => ({ controller, run: createPass(controller, options) }));
  const asUser = { writer: '', retry: true };

  const list = async <T extends KubeObject = KubeObject>(kind: Kind): Promise<T[]> =>
    (await store.list(resourceOf(kind))).objects as T[];
  const update = (kind: KindDefinition, name: string, change: (object: KubeObject) => KubeObject) =>
    writer.update(
      kind,
      { namespace, name },
      (object) => change({ ...object, metadata: { ...object.metadata, resourceVersion: '' } }),
      asUser,
    );
  const setStatus = (kind: KindDefinition, { metadata }: KubeObject, status: object) =>
    writer.updateStatus(kind, { namespace, name: metadata.name }, (object) => ({ ...object, status }), asUser);
  const remove = (kind: KindDefinition, name: string) => writer.remove(kind, { namespace, name }, asUser);
  const isMachines = ({ metadata }: KubeObject) => metadata.ownerReferences?.some(({ kind }) => kind === 'Machine');

  const theCluster = async (): Promise<Cluster> => (await list<Cluster>(cluster))[0]!;
  /** Sets the target, as an operation does. */
  const target = async (): Promise<Target> => targetOf(await theCluster(), config);

  /** The infrastructure exists during a build, and is gone with the last host in a teardown. */
  const provideCluster = async () => {
    const [infra, plane] = [(await list(infraCluster))[0]!, (await list(controlPlane))[0]!];
    const isThere = (infra.status as { ready?: boolean } | undefined)?.ready === true;
    const wanted = await target();
    if (wanted === 'Build' && !isThere) {
      const spec = { controlPlaneEndpoint: { host: 'c.example', port: 6443 } };
      const metadata = { annotations: { [filledAnnotation]: filledNote(infra, spec) } };
      await update(infraCluster, 'c', (o) => mergePatch(o, { metadata, spec }));
      await setStatus(infraCluster, infra, { ready: true });
      await setStatus(controlPlane, plane, { initialization: { controlPlaneInitialized: true } });
    }
    if (wanted === 'Nothing' && isThere && (await list(host)).length === 0) {
      await setStatus(controlPlane, plane, {});
      await update(infraCluster, 'c', (o) => mergePatch(o, givenPatch(o)));
      await setStatus(infraCluster, infra, {});
    }
  };
  let capacity = Number.POSITIVE_INFINITY;
  /** The work of providers: a host starts once its machine exists; a config creates its secret. */
  const providers = async () => {
    if (operated) await provideCluster();
    for (const object of await list(toyConfig))
      if (isMachines(object) && !object.status)
        await setStatus(toyConfig, object, { ready: true, dataSecretName: object.metadata.name });
    for (const object of await list(host)) {
      if (!isMachines(object) || object.status) continue;
      if ((await list(host)).filter(({ status }) => status !== undefined).length >= capacity) return;
      await update(host, object.metadata.name, (o) => ({
        ...o,
        spec: { ...(o.spec as object), providerID: `toy:///${o.metadata.name}` },
      }));
      await setStatus(host, object, { ready: true });
    }
  };
  /** The view of the prober: a healthy node for every host. */
  const probe = async () => {
    const hosts = (await list(host)).filter(({ status }) => status !== undefined);
    const nodes = hosts.map(({ metadata, spec }) => ({
      name: metadata.name,
      uid: metadata.name,
      providerID: (spec as { providerID: string }).providerID,
      labels: {},
      annotations: {},
      taints: [],
      unschedulable: false,
      conditions: [
        { type: 'Ready', status: 'True' },
        ...['MemoryPressure', 'DiskPressure', 'PIDPressure'].map((type) => ({ type, status: 'False' })),
      ],
      nodeInfo: {},
      addresses: [],
      volumesAttached: [],
    }));
    const isKept = (await list(workloadSnapshot)).length > 0;
    if ((await target()) === 'Nothing') {
      if (isKept) await remove(workloadSnapshot, 'c');
      return;
    }
    if (!isKept) await writer.create(workloadSnapshot, emptySnapshot(await theCluster()), asUser);
    await writer.update(
      workloadSnapshot,
      { namespace, name: 'c' },
      (o) => ({ ...o, spec: { ...(o.spec as object), nodes } }),
      asUser,
    );
  };

  const names = new Map<string, string>();
  const counts = { set: 0, machine: 0 };
  /** Short names, in the order in which objects first appear. */
  const short = ({ metadata }: KubeObject, of: 'set' | 'machine'): string => {
    const known = names.get(metadata.uid!);
    if (known) return known;
    const name = `${of}${++counts[of]}`;
    names.set(metadata.uid!, name);
    return name;
  };
  const byAge = (a: KubeObject, b: KubeObject) =>
    `${a.metadata.creationTimestamp}${a.metadata.name}` < `${b.metadata.creationTimestamp}${b.metadata.name}` ? -1 : 1;
  const machinesOf = async () => {
    const available = ({ status }: Machine) =>
      status?.conditions?.some(({ type, status: is }) => type === 'Available' && is === 'True') ?? false;
    return (await list<Machine>(machine)).sort(byAge).map((one) => ({
      name: short(one, 'machine'),
      set: one.metadata.ownerReferences?.find(({ controller }) => controller)?.uid,
      isAvailable: available(one),
      isDeleting: one.metadata.deletionTimestamp !== undefined,
    }));
  };
  const summary = async (): Promise<string> => {
    const machines = await machinesOf();
    const sets = (await list<MachineSet>(machineSet)).sort(byAge).map((set) => {
      const own = machines
        .filter((one) => one.set === set.metadata.uid)
        .map((one) => `${one.name}${one.isDeleting ? '-' : one.isAvailable ? '+' : ''}`);
      const gone = set.metadata.deletionTimestamp ? ' deleting' : '';
      return `${short(set, 'set')}${gone} wants ${set.spec?.replicas} [${own.join(' ')}]`;
    });
    const workers = sets.join(' · ') || 'nothing';
    if (!operated) return workers;
    const { spec, status } = await theCluster();
    const available = status?.conditions?.find(({ type }) => type === 'Available');
    const endpoint = spec?.controlPlaneEndpoint ? ' with an endpoint' : '';
    return `${workers} | ${status?.phase ?? 'new'}${endpoint}, ${available?.reason ?? 'says nothing'}`;
  };

  const story: string[] = [];
  let last = '';
  const look = async (who: string, check?: Check) => {
    const now = await summary();
    if (now !== last) story.push(`${who.padEnd(18)} ${now}`);
    last = now;
    check?.(await machinesOf());
  };
  const shuffled = <T>(from: readonly T[]): T[] =>
    from
      .map((one) => ({ one, at: random.next() }))
      .sort((a, b) => a.at - b.at)
      .map(({ one }) => one);
  const nothingKnown = { want: 1, urgent: 1, done: 0, served: 0, attempts: 0, crashes: 0, rushes: 0 };

  const unlessConflict = (error: unknown) => {
    if (!isConflict(error)) throw error;
  };
  type Check = (machines: Awaited<ReturnType<typeof machinesOf>>) => void;
  /** Runs everything, in a seeded order, until a whole round writes nothing. `check` sees every state. */
  const settle = async (check?: Check): Promise<void> => {
    for (let round = 0; round < 200; round++) {
      const before = writes;
      const steps: { who: string; run: () => Promise<unknown> }[] = [
        { who: 'providers', run: providers },
        { who: 'probe', run: probe },
      ];
      for (const { controller, run } of passes) {
        const type = kinds.typeOf(controller.for);
        for (const { metadata } of await list(kinds.named(controller.for))) {
          const key = { controller: controller.name, type, namespace, name: metadata.name };
          // A pass with a conflict runs again in the next round.
          steps.push({ who: controller.name, run: () => run(key, nothingKnown).catch(unlessConflict) });
        }
      }
      for (const { who, run } of shuffled(steps)) {
        const written = writes;
        await run();
        if (writes > written) await look(who, check);
      }
      await clock.advance(1000);
      if (writes === before) return;
    }
    throw new Error(`never quiet:\n${story.join('\n')}`);
  };

  const ownNamespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
  for (const object of [
    ...(limited ? [ownNamespace] : []),
    template(hostTemplate, 'small'),
    template(hostTemplate, 'large'),
    template(configTemplate, 'config'),
    ...(operated ? [part(infraCluster), part(controlPlane)] : []),
    {
      apiVersion: 'cluster.x-k8s.io/v1beta2',
      kind: 'Cluster',
      metadata: { name: 'c', namespace },
      spec: {
        infrastructureRef: reference(infraCluster, 'c'),
        ...(operated && { controlPlaneRef: reference(controlPlane, 'c') }),
      },
    },
  ])
    await writer.create(kinds.named(object.kind), object, asUser);
  if (!operated) {
    const initialization = { infrastructureProvisioned: true, controlPlaneInitialized: true };
    await writer.create(workloadSnapshot, emptySnapshot(await theCluster()), asUser);
    await setStatus(cluster, await theCluster(), { initialization });
  }

  return {
    settle,
    tell: (line: string) => story.push(`\n# ${line}`),
    story: () => `${story.join('\n').trim()}\n`,
    apply: async (object: KubeObject) => {
      await writer.create(kinds.named(object.kind), object, asUser);
      await look('user');
    },
    change: async (change: (spec: Record<string, unknown>) => object) => {
      await update(machineDeployment, 'workers', (o) => ({
        ...o,
        spec: change(structuredClone(o.spec) as Record<string, unknown>),
      }));
      await look('user');
    },
    /** Finds an object by its name in the story. */
    deleteMachine: async (name: string) => {
      const doomed = (await list(machine)).find(({ metadata }) => names.get(metadata.uid!) === name);
      await remove(machine, doomed!.metadata.name);
      await look('user');
    },
    /** Applies a merge patch of a user. */
    edit: async (kind: 'Machine' | 'MachineSet', name: string, patch: object) => {
      await update({ Machine: machine, MachineSet: machineSet }[kind], name, (o) => mergePatch(o, patch));
      await look('user');
    },
    /** In a limited world. */
    annotateNamespace: (annotations: Record<string, string | null>) =>
      writer.update(
        namespaceKind,
        { namespace: '', name: namespace },
        (object) => mergePatch(object, { metadata: { annotations, resourceVersion: '' } }),
        asUser,
      ),
    remove: async () => {
      await remove(machineDeployment, 'workers');
      await look('user');
    },
    get: async (kind: 'machines' | 'sets' | 'hosts' | 'configs') =>
      list({ machines: machine, sets: machineSet, hosts: host, configs: toyConfig }[kind]),
    deployment: async () => (await list(machineDeployment))[0],
    cluster: theCluster,
    /** Records the operation and the target of the cluster, as an operation does. */
    operate: async (operation: string, to: Target) => {
      const annotations = {
        [operationAnnotations.operation]: operation,
        [operationAnnotations.target]: to === 'Wait' ? null : to,
      };
      await update(cluster, 'c', (o) => mergePatch(o, { metadata: { annotations } }));
      await look('operation');
    },
    /** The maximum number of running hosts. */
    limitHosts: (to: number) => {
      capacity = to;
    },
  };
};
