import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { KeptDisks } from '../../core/contract/infrastructure.ts';
import type { ObjectTargets } from '../../core/contract/object-targets.ts';
import type { Restoring } from '../../core/contract/restore.ts';
import {
  annotated,
  at,
  clusterOf,
  clusterStateOf,
  conditionWith,
  found,
  objectOf,
  operationOf,
  saying,
  start,
} from '../cluster-operation/operation.fixture.ts';
import type { OperationStatus } from '../cluster-operation/schema.ts';
import type { ClusterState } from '../shared/cluster-state.ts';
import type { Rollout } from '../shared/rollouts.ts';
import { type OperationScope, scopeOf } from '../shared/scope.ts';
import type { RestoreStep } from './step-names.ts';
import { restoreTask } from './task.ts';

const key = 'KubeadmControlPlane/demo-cp';
const kept: ObjectTargets = { 'MachineDeployment/w': { target: 'RollBack', revision: 'a' } };
const snapshot = objectOf('EtcdSnapshot', 'one', {
  status: {
    phase: 'Succeeded',
    location: 'here/uid-of-demo/a.db',
    checksum: 'sha256:ab',
    revision: 44,
    completedAt: at(-600),
    etcdVersion: '3.6.6',
    kubernetesVersion: 'v1.35.0',
    conditions: [conditionWith('Ready', 'True')],
    verification: { request: 'demo-create-1', time: at(0), valid: true },
  },
});

const noted = {
  location: 'here/uid-of-demo/a.db',
  checksum: 'sha256:ab',
  revision: 44,
  completedAt: at(-600),
  etcdVersion: '3.6.6',
  kubernetesVersion: 'v1.35.0',
};
const hosts = ['aws:///zone/i-old'];

const machine = (name: string, change: object = {}, isWorker = false): KubeObject =>
  objectOf('Machine', name, {
    ...change,
    metadata: {
      labels: isWorker ? {} : { 'cluster.x-k8s.io/control-plane': '' },
      ownerReferences: [
        isWorker
          ? { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'MachineSet', name: 'w', uid: 'w', controller: true }
          : { apiVersion: '', kind: 'KubeadmControlPlane', name: 'demo-cp', uid: 'uid-of-demo-cp', controller: true },
      ],
      ...(change as { metadata?: object }).metadata,
    },
  });
const old = machine('old', { spec: { providerID: 'aws:///zone/i-old' } });
const first = (revision?: number, available = 'True') =>
  machine('new', {
    metadata: {
      annotations: {
        'capstan.dev/restored-by': 'uid-of-demo-create-1',
        ...(revision !== undefined && { 'capstan.dev/restored-revision': String(revision) }),
      },
    },
    ...saying(conditionWith('Available', available), conditionWith('UpToDate', 'True')),
  });
const bumped = 1_000_000_044;

interface Given {
  steps: Record<string, string>;
  /** What earlier steps noted besides. */
  status?: OperationStatus;
  /** What the targets say already; by default, what the last step asks for. */
  target?: Restoring['step'] | null;
  state?: Partial<ClusterState>;
  machines?: KubeObject[];
  operation?: object;
  seconds?: number;
  cluster?: object;
}

const steps: Record<string, Restoring['step']> = {
  StopMembers: 'Stop',
  RestoreFirst: 'First',
  Join: 'Join',
  Verify: 'Join',
};

const rolloutOf = (machines: KubeObject[], desired = 1): Rollout =>
  ({
    object: objectOf('KubeadmControlPlane', 'demo-cp'),
    key,
    isControlPlane: true,
    takesPart: true,
    isObserved: true,
    isOutdated: false,
    desired,
    updated: machines,
    outdated: [],
  }) as unknown as Rollout;

const run = (
  name: RestoreStep,
  {
    steps: verdicts,
    status: earlier = {},
    target,
    state,
    machines = [],
    operation = {},
    seconds = 60,
    cluster: more = {},
  }: Given,
) => {
  const step = target === undefined ? steps[Object.keys(verdicts).at(-1) ?? ''] : (target ?? undefined);
  const restore = step && {
    operation: 'demo-create-1',
    uid: 'uid-of-demo-create-1',
    step,
    location: noted.location,
    checksum: noted.checksum,
    hosts: step === 'Join' ? hosts : [],
  };
  const targets: ObjectTargets = { ...kept, ...(restore && { [key]: { target: 'Restore', restore } }) };
  const cluster = clusterOf({
    ...annotated({ 'capstan.dev/was-available': 'true', 'capstan.dev/object-targets': JSON.stringify(targets) }),
    ...more,
  });
  const status: OperationStatus = {
    phase: 'Running',
    ...(Object.keys(verdicts).length > 0 && { snapshot: noted, hosts }),
    clock: { since: at(0), seconds: 0 },
    ...earlier,
    steps: Object.entries(verdicts).map(([one, verdict]) => ({ name: one, started: at(0), verdict: verdict as never })),
  };
  const controlPlane = objectOf('KubeadmControlPlane', 'demo-cp', {
    spec: { replicas: 1, version: 'v1.35.2' },
    ...saying(conditionWith('EtcdClusterHealthy', 'True'), conditionWith('CertificatesAvailable', 'True')),
  });
  const clusterState = clusterStateOf(cluster, {
    controlPlane: found(controlPlane),
    machines,
    snapshots: [snapshot],
    rollouts: [rolloutOf(machines.filter(({ metadata }) => metadata.name === 'new'))],
    hostsLeft: found([]),
    ...state,
  });
  const object = operationOf(status, { spec: { type: 'restore', snapshot: 'one', ...operation } });
  const now = start + seconds * 1000;
  const scope: OperationScope = scopeOf(
    object,
    object.spec!,
    { clusterState, preflight: { verdict: 'passed', message: '' } },
    {
      now,
      random: {} as never,
    },
  );
  const { status: after, answer, actions = [] } = restoreTask(scope, status, name);
  const patch = actions.find((action) => action.do === 'patch') as
    | { patch: { metadata: { annotations: Record<string, string> } } }
    | undefined;
  const written = patch?.patch.metadata.annotations['capstan.dev/object-targets'];
  return {
    status: after,
    steps: after.steps?.map((one) => `${one.name} ${one.verdict}`),
    says: after.message ?? '',
    answer: answer && ('error' in answer ? answer.error : 'done'),
    actions,
    deletes: actions.flatMap((action) => (action.do === 'delete' ? [action.name] : [])),
    targets: written === undefined ? undefined : (JSON.parse(written) as ObjectTargets),
  };
};

describe('a restore', () => {
  it('notes the snapshot and the hosts before it stops anything, and keeps what others were told', () => {
    const result = run('Preflight', { steps: {}, machines: [old] });
    expect(result.steps).toEqual(['Preflight Succeeded', 'StopMembers Running']);
    expect(result.status).toMatchObject({ snapshot: noted, version: 'v1.35.2', hosts });
    expect(result.targets).toEqual({
      ...kept,
      [key]: {
        target: 'Restore',
        restore: {
          operation: 'demo-create-1',
          uid: 'uid-of-demo-create-1',
          step: 'Stop',
          location: noted.location,
          checksum: noted.checksum,
          version: 'v1.35.2',
          hosts: [],
        },
      },
    });
  });

  it.each<{ rule: string; given: Partial<Given>; says: string }>([
    { rule: 'without its snapshot', given: { state: { snapshots: [] } }, says: 'EtcdSnapshot one is not there' },
    {
      rule: 'with Machines that no control plane would stop',
      given: { machines: [machine('strange', { metadata: { ownerReferences: [] } })] },
      says: 'Machine strange are not of KubeadmControlPlane demo-cp: delete them first',
    },
    {
      rule: 'of a paused control plane',
      given: { state: { rollouts: [{ ...rolloutOf([]), takesPart: false }] } },
      says: 'KubeadmControlPlane demo-cp is paused',
    },
    {
      rule: 'on the hosts of a foreign infrastructure',
      given: { state: { foreign: [objectOf('DockerCluster', 'demo')] } },
      says: 'the provider of DockerCluster demo does not tell which hosts run',
    },
  ])('is refused $rule, and changes nothing', ({ given, says }) => {
    const result = run('Preflight', { steps: {}, ...given });
    expect(result).toMatchObject({ answer: 'StepRefused', targets: undefined, deletes: [] });
    expect(result.says).toContain(says);
  });

  const { status: known } = snapshot as { status: object };
  const of = (verification: object | undefined): Partial<Given> => ({
    machines: [old],
    state: { snapshots: [{ ...snapshot, status: { ...known, verification } }] },
  });
  it.each<{ rule: string; verification: object | undefined }>([
    { rule: 'never', verification: undefined },
    { rule: 'for another request', verification: { request: 'now', time: at(0), valid: true } },
  ])('has a file read again that was read $rule, before it stops anything', ({ verification }) => {
    const result = run('Preflight', { steps: {}, ...of(verification) });
    expect(result).toMatchObject({ answer: undefined, targets: undefined, steps: ['Preflight Running'] });
    expect(result.says).toContain('waiting until the file of EtcdSnapshot one is read again');
    expect(result.actions).toEqual([
      expect.objectContaining({
        do: 'patch',
        kind: 'EtcdSnapshot',
        name: 'one',
        patch: { metadata: { annotations: { 'capstan.dev/verify': 'demo-create-1' } } },
      }),
    ]);
  });

  const lost = 'Secrets are missing or incomplete: demo-ca';
  const without = (keys: object | undefined): Partial<Given> => {
    const controlPlane = objectOf('KubeadmControlPlane', 'demo-cp', {
      spec: { replicas: 1, version: 'v1.35.2' },
      ...saying(
        conditionWith('EtcdClusterHealthy', 'True'),
        conditionWith('CertificatesAvailable', 'False', { message: lost }),
      ),
    });
    return {
      machines: [old],
      state: { controlPlane: found(controlPlane), snapshots: [{ ...snapshot, status: { ...known, keys } }] },
    };
  };
  const answered = { kept: ['demo-ca'], request: 'demo-create-1' };
  it.each<{ rule: string; keys: object | undefined; answer?: string; says: string; asks?: boolean }>([
    { rule: 'is refused where no keys are kept', keys: undefined, answer: 'StepRefused', says: lost },
    {
      rule: 'asks for the keys first',
      keys: { kept: ['demo-ca'], request: 'an-earlier-one', restored: ['demo-ca'] },
      says: 'waiting until it is known which Secrets of the cluster are absent',
      asks: true,
    },
    {
      rule: 'waits until the control plane has seen its Secrets',
      keys: { ...answered, restored: ['demo-ca'] },
      says: lost,
    },
    {
      rule: 'is refused where a Secret is there and cannot be used',
      keys: { ...answered, restored: [], message: 'No Secret was absent' },
      answer: 'StepRefused',
      says: lost,
    },
  ])('whose Secrets are lost $rule, before it stops anything', ({ keys, answer, says, asks = false }) => {
    const result = run('Preflight', { steps: {}, ...without(keys) });
    expect(result).toMatchObject({ answer, targets: undefined });
    expect(result.says).toContain(says);
    const annotations = result.actions.map((action) => (action.do === 'patch' ? action.patch : undefined));
    expect(annotations).toEqual(
      asks ? [{ metadata: { annotations: { 'capstan.dev/restore-keys': 'demo-create-1' } } }] : [],
    );
  });

  it('says which Secrets were made again', () => {
    const keys = { ...answered, restored: ['demo-ca'], message: 'Made again: demo-ca' };
    const given = without(keys);
    const { status } = run('Preflight', { steps: {}, machines: [old], state: { snapshots: given.state!.snapshots! } });
    expect(status.steps?.[0]).toMatchObject({ name: 'Preflight', verdict: 'Succeeded' });
    expect(JSON.stringify(status.steps)).toContain('Made again: demo-ca');
  });

  it('is refused when the file is damaged', () => {
    const verification = { request: 'demo-create-1', time: at(0), valid: false, message: 'torn' };
    const result = run('Preflight', { steps: {}, ...of(verification) });
    expect(result).toMatchObject({ answer: 'StepRefused', targets: undefined });
    expect(result.says).toContain('EtcdSnapshot one is damaged: torn');
  });

  const answering = { reachable: true, etcd: { members: [], alarms: [] }, nodes: [] } as unknown as NonNullable<
    ClusterState['workload']
  >;
  const presentOf = (status: object) => objectOf('EtcdSnapshot', 'demo-create-1-before', { status });
  it('saves the present state while etcd answers', () => {
    const result = run('Preflight', { steps: {}, machines: [old], state: { workload: answering } });
    expect(result.says).toContain('waiting for a snapshot of the present state');
    expect(result.actions).toMatchObject([
      { do: 'create', object: { metadata: { name: 'demo-create-1-before' }, spec: { reason: 'Restore' } } },
    ]);
  });

  it.each([undefined, 'Running'])('gives up a snapshot (%s) of what has fallen silent', (phase) => {
    const workload = { ...answering, reachable: false };
    const state = { workload, snapshots: [snapshot, presentOf(phase ? { phase } : {})] } as Partial<ClusterState>;
    const result = run('Preflight', { steps: {}, machines: [old], state });
    expect(result).toMatchObject({ answer: undefined, steps: ['Preflight Running'] });
    expect(result.actions).toMatchObject([{ do: 'delete', kind: 'EtcdSnapshot', name: 'demo-create-1-before' }]);
  });

  it.each<{ rule: string; workload: object; present?: KubeObject; answer?: string; saved?: string; says: string }>([
    {
      rule: 'waits for the snapshot of the present state',
      workload: answering,
      present: presentOf({
        phase: 'Running',
        conditions: [conditionWith('Ready', 'False', { message: 'Reading etcd on a' })],
      }),
      says: 'waiting for EtcdSnapshot demo-create-1-before of the present state: Reading etcd on a',
    },
    {
      rule: 'names the snapshot of the present state',
      workload: answering,
      present: presentOf({ phase: 'Succeeded' }),
      answer: 'done',
      saved: 'demo-create-1-before',
      says: 'The present state is EtcdSnapshot demo-create-1-before',
    },
    {
      rule: 'goes on when the present state cannot be saved',
      workload: answering,
      present: presentOf({ phase: 'Failed', conditions: [conditionWith('Ready', 'False', { message: 'no quorum' })] }),
      answer: 'done',
      says: 'EtcdSnapshot demo-create-1-before failed: no quorum',
    },
    {
      rule: 'goes on when etcd does not answer',
      workload: { ...answering, etcdUnreadable: 'no answer' },
      answer: 'done',
      says: 'not saved, because etcd does not answer',
    },
  ])('$rule', ({ workload, present, answer, saved, says }) => {
    const state = { workload, snapshots: [snapshot, ...(present ? [present] : [])] } as Partial<ClusterState>;
    const result = run('Preflight', { steps: {}, machines: [old], state });
    expect(result.answer).toBe(answer);
    expect(result.status.before).toBe(saved);
    expect(result.status.steps?.[0]?.message).toContain(says);
  });

  describe('of an etcd that does not answer', () => {
    const named = { 'capstan.dev/operation': 'demo-create-1', 'capstan.dev/was-available': 'true' };
    const silent = { ...answering, reachable: false };
    const disk = 'EBS snapshot snap-1 (/dev/xvda of EC2 instance i-old)';
    const call = { do: 'call', port: 'cloud', operation: 'CreateSnapshot', input: {} } as const;
    const seen = (keptDisks: ClusterState['keptDisks'], annotations: Record<string, string> = {}, seconds = 60) =>
      run('Preflight', {
        steps: { Preflight: 'Running' },
        seconds,
        machines: [old],
        state: { workload: silent, keptDisks },
        cluster: { metadata: { annotations: { ...named, ...annotations } } },
      });
    const read = (value: Partial<KeptDisks>) => found({ kept: [], copying: [], missing: [], actions: [], ...value });

    it('begins with copies of its disks', () => {
      const result = seen(read({ missing: ['/dev/xvda of EC2 instance i-old'], actions: [call] }));
      expect(result).toMatchObject({ answer: undefined, targets: undefined, steps: ['Preflight Running'] });
      expect(result.actions).toEqual([call]);
      expect(result.says).toContain(
        'waiting for copies of its disks: /dev/xvda of EC2 instance i-old; to go on without',
      );
      expect(result.status.steps?.[0]?.reason).toBe('DisksNotCopied');
    });

    it('stops members once they are complete, and names them', () => {
      const result = seen(read({ kept: [disk] }));
      expect(result.steps).toEqual(['Preflight Succeeded', 'StopMembers Running']);
      expect(result.status).toMatchObject({ disks: [disk], disksUntil: at(30 * 24 * 3600 - 60) });
      expect(result.status.steps?.[0]?.message).toContain(
        `copies of the disks of its hosts are kept until ${at(30 * 24 * 3600 - 60)}: ${disk}`,
      );
    });

    it.each<{ rule: string; keptDisks: ClusterState['keptDisks']; answer?: string; says: string }>([
      { rule: 'goes on where no disk is left', keptDisks: read({}), answer: 'done', says: 'no host with a disk' },
      {
        rule: 'is refused where the account refuses, before it stops anything',
        keptDisks: read({ missing: ['a'], refusal: 'CreateSnapshot: UnauthorizedOperation: no', actions: [call] }),
        answer: 'StepRefused',
        says: 'DisksNotKept: The present state is not saved, because etcd does not answer, and its disks cannot be kept: CreateSnapshot: UnauthorizedOperation: no',
      },
      { rule: 'waits for what is unread', keptDisks: { state: 'unread' }, says: 'until it is known which disks' },
      {
        rule: 'takes no silence for an answer',
        keptDisks: { state: 'unreadable', reason: 'throttled' },
        says: 'whether its disks are kept is not known: throttled',
      },
    ])('$rule', ({ keptDisks, answer, says }) => {
      const result = seen(keptDisks);
      expect(result.answer).toBe(answer);
      expect(result.actions.filter(({ do: what }) => what === 'call')).toEqual([]);
      expect(result.status.steps?.[0]?.message).toContain(says);
    });

    it.each<{ rule: string; disks: Partial<KeptDisks>; reason?: string; says: string }>([
      {
        rule: 'why a copy has not begun',
        disks: { missing: ['a'], delay: { code: 'RequestLimitExceeded', message: 'CreateSnapshot of a: slow' } },
        reason: 'RequestLimitExceeded',
        says: 'waiting for copies of its disks: a, which are begun again: CreateSnapshot of a: slow',
      },
      {
        rule: 'the copies that exist beside one that is refused',
        disks: { copying: [disk], missing: ['b'], refusal: 'CreateSnapshot of b: no' },
        says: `cannot be kept: CreateSnapshot of b: no; copies of the disks of its hosts are kept until ${at(30 * 24 * 3600 - 60)}: ${disk} (not complete)`,
      },
    ])('names $rule', ({ disks, reason, says }) => {
      const result = seen(read(disks));
      expect(result.status.steps?.[0]?.message).toContain(says);
      expect(result.status.steps?.[0]?.reason).toBe(reason);
      if (disks.copying) expect(result.status.disks).toEqual([`${disk} (not complete)`]);
    });

    it.each<{
      rule: string;
      disks: ClusterState['keptDisks'];
      of?: string;
      seconds?: number;
      answer?: string;
      acts?: boolean;
      says: string;
    }>([
      {
        rule: 'goes on where they are refused',
        disks: read({ missing: ['a'], refusal: 'no', actions: [call] }),
        answer: 'done',
        says: 'Overridden by capstan.dev/override-findings: DisksNotKept: The present state is not saved, because etcd does not answer, and its disks are not all kept: no',
      },
      {
        rule: 'is refused where another attempt was meant',
        disks: read({ missing: ['a'], refusal: 'no', actions: [call] }),
        of: 'demo-create-2',
        answer: 'StepRefused',
        says: 'cannot be kept: no',
      },
      { rule: 'tries first', disks: read({ missing: ['a'], actions: [call] }), acts: true, says: 'waiting for copies' },
      {
        rule: 'waits for what is being copied beside a disk that is refused',
        disks: read({ copying: [disk], missing: ['b'], refusal: 'no', actions: [call] }),
        says: `waiting for copies of its disks: ${disk}, b`,
      },
      {
        rule: 'names what was copied beside a disk that is refused',
        disks: read({ kept: [disk], missing: ['b'], refusal: 'no', actions: [call] }),
        answer: 'done',
        says: `are not all kept: no; copies of the disks of its hosts are kept until ${at(30 * 24 * 3600 - 60)}: ${disk}`,
      },
      {
        rule: 'waits ten minutes for an account that cannot be read',
        disks: { state: 'unreadable', reason: 'throttled' },
        seconds: 599,
        says: 'is not known: throttled; to go on without them 10 minutes after the step began',
      },
      {
        rule: 'goes on after ten minutes without an answer',
        disks: { state: 'unreadable', reason: 'throttled' },
        seconds: 600,
        answer: 'done',
        says: 'are not all kept: throttled',
      },
      {
        rule: 'goes on after ten minutes with incomplete copies, and names them',
        disks: read({ copying: [disk] }),
        seconds: 600,
        answer: 'done',
        says: `not complete in time: ${disk}; copies of the disks of its hosts are kept until`,
      },
    ])('whose copies its user gives up $rule', ({
      disks,
      of = 'demo-create-1',
      seconds,
      answer,
      acts = false,
      says,
    }) => {
      const result = seen(disks, { 'capstan.dev/override-findings': `${of}:DisksNotKept` }, seconds);
      expect(result.answer).toBe(answer);
      expect(result.actions.some(({ do: what }) => what === 'call')).toBe(acts);
      expect(result.status.steps?.[0]?.message).toContain(says);
    });

    it('keeps them, too, where etcd answers and its snapshot failed', () => {
      const state: Partial<ClusterState> = {
        workload: answering,
        snapshots: [snapshot, presentOf({ phase: 'Failed' })],
        keptDisks: read({ missing: ['a'], actions: [call] }),
      };
      expect(run('Preflight', { steps: {}, machines: [old], state }).actions).toEqual([call]);
    });
  });

  describe('the spec that Preflight checked', () => {
    const planeWith = (spec: object) => found(objectOf('KubeadmControlPlane', 'demo-cp', { spec }));
    const etcd = (imageTag: string) => ({
      version: 'v1.35.0',
      kubeadmConfigSpec: { clusterConfiguration: { etcd: { local: { imageTag } } } },
    });
    const { checkedSpec } = run('Preflight', {
      steps: {},
      state: { controlPlane: planeWith({ replicas: 1, ...etcd('3.6.6-0') }) },
    }).status;
    const stopping = (spec: object) =>
      run('StopMembers', {
        status: { checkedSpec },
        steps: { Preflight: 'Succeeded', StopMembers: 'Running' },
        state: { controlPlane: planeWith(spec) },
      });

    it.each([
      { rule: 'stays the same', spec: { replicas: 1, ...etcd('3.6.6-0') }, answer: 'done' },
      { rule: 'may be scaled', spec: { replicas: 3, ...etcd('3.6.6-0') }, answer: 'done' },
      { rule: 'builds no other image', spec: { replicas: 1, ...etcd('3.6.9-0') }, answer: undefined },
    ])('$rule', ({ spec, answer }) => {
      const result = stopping(spec);
      expect(result.answer).toBe(answer);
      if (answer === undefined)
        expect(result.status.steps?.at(-1)?.message).toMatch(
          /KubeadmControlPlane demo-cp has changed since Preflight, .* run: capstan cancel operation demo-create-1 -n default, and restore again$/,
        );
    });
  });

  it('is cancelled before it has stopped anything', () =>
    expect(run('Preflight', { steps: {}, operation: { cancel: true } })).toMatchObject({
      answer: 'Cancelled',
      steps: ['Preflight Cancelled'],
      targets: undefined,
    }));

  it.each<{ rule: string; name: RestoreStep; given: Partial<Given>; says?: string; answer?: string }>([
    {
      rule: 'waits for old Machines',
      name: 'StopMembers',
      given: { machines: [old] },
      says: 'waiting for Machine old to be gone',
    },
    {
      rule: 'waits for hosts without objects',
      name: 'StopMembers',
      given: { state: { hostsLeft: found(['EC2 instance i-9 (running)']) } },
      says: 'waiting for EC2 instance i-9 (running) to be terminated',
    },
    {
      rule: 'takes no silence for proof',
      name: 'StopMembers',
      given: { state: { hostsLeft: { state: 'unreadable', reason: 'throttled' } } },
      says: 'it is not known whether old control-plane hosts are off: throttled',
    },
    {
      rule: 'accepts no proof from before the control plane stopped',
      name: 'StopMembers',
      given: { target: null },
      says: 'waiting for the control plane to begin',
    },
    { rule: 'goes on once all is off', name: 'StopMembers', given: {}, answer: 'done' },
    {
      rule: 'builds no etcd of another minor that the spec asks for since then',
      name: 'StopMembers',
      given: { state: { etcdVersion: '3.7.0' } },
      says: 'EtcdSnapshot one is of etcd 3.6.6, but the control plane asks for etcd 3.7.0',
    },
    {
      rule: 'knows the version of its etcd when the object of the snapshot is gone',
      name: 'StopMembers',
      given: { state: { etcdVersion: '3.7.0', snapshots: [] } },
      says: 'EtcdSnapshot one is of etcd 3.6.6, but the control plane asks for etcd 3.7.0',
    },
    {
      rule: 'waits for the first Machine',
      name: 'RestoreFirst',
      given: { machines: [first()] },
      says: 'waiting for the first Machine to start etcd on the snapshot',
    },
    {
      rule: 'finds a cluster that began without the snapshot',
      name: 'RestoreFirst',
      given: { machines: [first(12)] },
      says: 'etcd on Machine new began at revision 12, not at 1000000044 or later',
      answer: 'StepRefused',
    },
    {
      rule: 'waits until the first Machine serves',
      name: 'RestoreFirst',
      given: { machines: [first(bumped, 'False')] },
      says: 'waiting for Machine new to serve',
    },
    {
      rule: 'goes on once the first serves the snapshot',
      name: 'RestoreFirst',
      given: { machines: [first(bumped)] },
      answer: 'done',
    },
    {
      rule: 'waits for the other Machines',
      name: 'Join',
      given: { machines: [first(bumped)], state: { rollouts: [rolloutOf([first(bumped)], 3)] } },
      says: '1 of 3 control-plane Machines are available',
    },
    {
      rule: 'fails after its deadline without progress',
      name: 'RestoreFirst',
      given: { machines: [first()], seconds: 1801 },
      answer: 'DeadlineExceeded',
    },
    {
      rule: 'has the deadline that the user sets',
      name: 'RestoreFirst',
      given: {
        machines: [first()],
        seconds: 700,
        cluster: {
          metadata: {
            annotations: { 'capstan.dev/operation': 'demo-create-1', 'capstan.dev/restore-deadline': '10m' },
          },
        },
        target: null,
      },
      answer: 'DeadlineExceeded',
    },
  ])('$rule', ({ name, given, says = '', answer }) => {
    const result = run(name, { steps: { Preflight: 'Succeeded', [name]: 'Running' }, ...given });
    expect(result.answer).toBe(answer);
    expect(result.says).toContain(says);
    if (answer !== 'done') expect(result.steps?.at(-1)).toMatch(new RegExp(`^${name} `));
  });

  const verifying = {
    steps: { Preflight: 'Succeeded', RestoreFirst: 'Succeeded', Join: 'Succeeded', Verify: 'Running' },
    machines: [first(bumped)],
  };
  const available = (targets: object = {}) => ({
    status: { conditions: [conditionWith('Available', 'True')] },
    ...targets,
  });

  it('says before it begins which workers it will replace', () => {
    const young = machine('young', { metadata: { labels: {}, creationTimestamp: at(-60) } }, true);
    const result = run('Preflight', { steps: {}, machines: [old, young] });
    expect(result.status.steps?.[0]?.message).toContain('. 1 worker is younger than the snapshot');
  });

  it('replaces workers whose Nodes the snapshot lacks', () => {
    const lost = machine('lost', saying(conditionWith('NodeReady', 'False', { reason: 'NodeDeleted' })), true);
    const well = machine('well', saying(conditionWith('NodeReady', 'True', { reason: 'NodeReady' })), true);
    const result = run('Verify', { ...verifying, machines: [first(bumped), lost, well] });
    expect(result.deletes).toEqual(['lost']);
    expect(result.says).toContain('waiting for Machine lost to be replaced');
  });

  it.each([
    { rule: 'waits for workers that booted while nothing answered', seconds: 599, says: 'to join', deletes: [] },
    { rule: 'replaces them once they gave up', seconds: 600, says: 'to be replaced', deletes: ['booting'] },
  ])('$rule', ({ seconds, says, deletes }) => {
    const metadata = { labels: {}, creationTimestamp: at(-60) };
    const booting = machine('booting', { metadata, spec: { providerID: 'aws:///zone/i-1' } }, true);
    const result = run('Verify', {
      ...verifying,
      steps: { StopMembers: 'Succeeded', ...verifying.steps },
      machines: [first(bumped), booting],
      seconds,
    });
    expect(result.says).toContain(`waiting for Machine booting ${says}`);
    expect(result.deletes).toEqual(deletes);
  });

  it('waits until the Nodes of old hosts are gone', () => {
    const workload = { nodes: [{ name: 'old', providerID: hosts[0] }] } as unknown as ClusterState['workload'];
    expect(run('Verify', { ...verifying, state: { workload } }).says).toContain(
      'waiting for Node old of old hosts to be gone',
    );
  });

  describe('above whose version a pool stands', () => {
    const pool = (wanted: string, status: string): Rollout => ({
      ...rolloutOf([]),
      object: objectOf('MachineDeployment', 'w', {
        spec: { template: { spec: { version: wanted } } },
        ...saying(conditionWith('Available', status)),
      }),
      key: 'MachineDeployment/w',
      isControlPlane: false,
    });
    const ended = (pools: Rollout[], others: object = {}) => {
      const conditions = Object.entries({
        InfrastructureReady: 'True',
        RemoteConnectionProbe: 'True',
        ControlPlaneAvailable: 'True',
        WorkersAvailable: 'False',
        Available: 'False',
        Deleting: 'False',
        ...others,
      }).map(([type, status]) => conditionWith(type, status, { reason: type, message: '' }));
      return run('Verify', {
        ...verifying,
        state: { rollouts: [rolloutOf([first(bumped)]), ...pools] },
        cluster: { status: { conditions } },
      });
    };
    it('ends without it, and says how it comes back', () => {
      const { answer, status } = ended([pool('v1.36.0', 'False')]);
      expect([answer, status.steps?.at(-1)?.message]).toEqual([
        'done',
        `MachineDeployment w asks for v1.36.0, which cannot join a control plane of v1.35.2. To give it that version, run: kubectl patch machinedeployment w -n default --type merge -p '{"spec":{"template":{"spec":{"version":"v1.35.2"}}}}'`,
      ]);
    });
    it('names each of several with its own version', () => {
      const other = {
        ...pool('v1.37.0', 'False'),
        object: { ...pool('v1.37.0', 'False').object, metadata: { name: 'x' } },
      };
      const { status } = ended([pool('v1.36.0', 'False'), other]);
      const message = status.steps?.at(-1)?.message;
      expect(message).toMatch(
        /^MachineDeployment w asks for v1\.36\.0, .*machinedeployment w .*MachineDeployment x asks for v1\.37\.0, .*machinedeployment x /,
      );
    });
    it.each<{ rule: string; pools: Rollout[]; others?: object }>([
      { rule: 'another pool, too', pools: [pool('v1.36.0', 'False'), pool('v1.35.0', 'False')] },
      { rule: 'the control plane, too', pools: [pool('v1.36.0', 'False')], others: { ControlPlaneAvailable: 'False' } },
    ])('waits for $rule', ({ pools, others }) => {
      const result = ended(pools, others);
      expect(result.answer).toBeUndefined();
      expect(result.says).toContain('waiting for the Cluster to be Available');
    });
  });

  it('ends when the cluster is available, and gives the control plane back', () => {
    const result = run('Verify', { ...verifying, cluster: available() });
    expect(result).toMatchObject({ answer: 'done', targets: kept });
    expect(result.steps?.at(-1)).toBe('Verify Succeeded');
  });
});
