import { describe, expect, it } from 'vitest';
import type { Read } from '../../../machinery/api/reconcile.ts';
import { typedReader } from '../../../machinery/api/reconcile.ts';
import type { Machine } from '../../core/machine/index.ts';
import type { CloudOutput, Instance } from '../../ports/cloud/index.ts';
import { consoleConditions, failureIn, observeConsole, untilConsole } from './console.ts';
import type { AWSMachine } from './schema.ts';

/** As Ubuntu's serial console shows it. */
const console = (...lines: string[]): string =>
  [
    '[    0.000000] Linux version 6.8.0-1015-aws (buildd@lcy02)',
    "[   18.100000] cloud-init[880]: Cloud-init v. 25.2-0ubuntu1~24.04.1 running 'modules:final' at Sat, 28 Nov 2026 12:00:00 +0000. Up 18.10 seconds.",
    ...lines.map((line, at) => `[   ${20 + at}.000000] cloud-init[${900 + at}]: ${line}`),
    '[   30.500000] IPv6: ADDRCONF(NETDEV_CHANGE): ens5: link becomes ready',
  ].join('\r\n');
const refused = [
  '2026-11-28 12:00:40,123 - cc_scripts_user.py[WARNING]: Failed to run module scripts_user (scripts in /var/lib/cloud/instance/scripts)',
  "2026-11-28 12:00:40,124 - util.py[WARNING]: Running module scripts_user (<module 'cloudinit.config.cc_scripts_user'>) failed",
  'Cloud-init v. 25.2-0ubuntu1~24.04.1 finished at Sat, 28 Nov 2026 12:00:40 +0000. Datasource DataSourceEc2Local.  Up 40.34 seconds',
];
const failedRun =
  '2026-11-28 12:00:40,122 - util.py[WARNING]: Failed running /var/lib/cloud/instance/scripts/runcmd [1]';

it.each<{ rule: string; text: string; finds: string | undefined }>([
  { rule: 'nothing before anything was printed', text: '', finds: undefined },
  { rule: 'nothing while scripts run', text: console('[preflight] Running pre-flight checks'), finds: undefined },
  {
    rule: 'nothing in scripts that ended well',
    text: console('This node has joined the cluster', refused[2]!),
    finds: undefined,
  },
  {
    rule: 'why a snapshot was not restored, said once',
    text: console(
      ...Array.from({ length: 10 }, () => 'curl: (22) The requested URL returned error: 403'),
      'restore-etcd: the snapshot cannot be downloaded',
      failedRun,
      ...refused,
    ),
    finds: 'curl: (22) The requested URL returned error: 403; restore-etcd: the snapshot cannot be downloaded',
  },
  {
    rule: 'why a host did not join',
    text: console(
      '[preflight] Running pre-flight checks',
      "error execution phase preflight: couldn't validate the identity of the API Server: cluster CA found in cluster-info ConfigMap is invalid",
      'To see the stack trace of this error execute with --v=5 or higher',
      failedRun,
      ...refused,
    ),
    finds:
      "[preflight] Running pre-flight checks; error execution phase preflight: couldn't validate the identity of the API Server: cluster CA found in cluster-info ConfigMap is invalid",
  },
  {
    rule: 'that a configuration cannot be read',
    text: console('2026-11-28 12:00:00,001 - util.py[WARNING]: Failed loading yaml blob. Invalid format at line 3'),
    finds: '2026-11-28 12:00:00,001 - util.py[WARNING]: Failed loading yaml blob. Invalid format at line 3',
  },
  { rule: 'a script that prints nothing', text: console(failedRun, ...refused), finds: '' },
  {
    rule: 'a failure on an image that marks no lines',
    text: '[   20.000000] sh: kubeadm: command not found\n[   21.000000] cloud-init: Failed to run module scripts_user (scripts in /var)\n',
    finds: 'sh: kubeadm: command not found',
  },
])('finds $rule', ({ text, finds }) => expect(failureIn(text)).toBe(finds));

it.each([
  { rule: 'a join token', line: 'token "abcdef.0123456789abcdef" is unknown', secret: 'abcdef.0123456789abcdef' },
  { rule: 'a certificate key', line: `key ${'0f'.repeat(32)} expired`, secret: '0f'.repeat(32) },
  {
    rule: 'a link',
    line: 'curl: https://b.s3.amazonaws.com/a.db?X-Amz-Expires=9&X-Amz-Signature=0ff1ce refused',
    secret: '0ff1ce',
  },
  { rule: 'a header', line: 'Authorization: Bearer one-two-three', secret: 'one-two-three' },
  { rule: 'a variable', line: 'DB_PASSWORD=hunter2 is wrong', secret: 'hunter2' },
  { rule: 'a trace', line: "+ curl -H 'X-Key: hunter2'", secret: 'hunter2' },
  { rule: 'a key file', line: Buffer.alloc(60, 'key').toString('base64'), secret: 'a2V5a2V5' },
])('never shows $rule', ({ line, secret }) => {
  const found = failureIn(console(line, 'it does not work', failedRun, ...refused));
  expect(found).toContain('it does not work');
  expect(found).not.toContain(secret);
});

it('shows the hash of a certificate authority, which is public', () =>
  expect(failureIn(console(`none of the public keys "sha256:${'0f'.repeat(32)}" are pinned`, ...refused))).toContain(
    '0f0f0f',
  ));

const started = Date.parse('2026-11-28T12:00:00Z');
const at = (seconds: number, speed = 1) => ({ now: started + seconds * 1000, config: { speed } });
const awsMachine = (status: object = {}, metadata: object = {}) =>
  ({
    kind: 'AWSMachine',
    metadata: { name: 'm', ...metadata },
    status: {
      ready: true,
      conditions: [{ type: 'InstanceReady', status: 'True', lastTransitionTime: '2026-11-28T12:00:00Z' }],
      ...status,
    },
  }) as unknown as AWSMachine;
const machine = (status: object = {}, metadata: object = {}) =>
  ({ kind: 'Machine', metadata: { name: 'm', ...metadata }, status }) as unknown as Machine;
const instance = (Name = 'running') => ({ InstanceId: 'i-1', State: { Name } }) as unknown as Instance;
const bootFailed = {
  type: 'BootstrapExecSucceeded',
  status: 'False',
  reason: 'BootstrapFailed',
  severity: 'Warning',
  lastTransitionTime: '2026-11-28T12:03:00Z',
};

type Answer = Read<CloudOutput<'GetConsoleOutput'>>;
const asked = (
  time: ReturnType<typeof at>,
  of: AWSMachine,
  its: Machine,
  state = 'running',
  answers: Answer[] = [],
) => {
  const inputs: object[] = [];
  const reader = typedReader({
    get: () => ({ state: 'absent' }),
    list: () => ({ state: 'absent' }) as never,
    tombstone: () => ({ state: 'absent' }),
    facts: () => ({ state: 'absent' }) as never,
    ask: (_port, _operation, { input }: never) =>
      (answers[inputs.push(input as object) - 1] ?? { state: 'found', value: {} }) as never,
  });
  const observed = {
    awsMachine: of,
    machine: { state: 'found', value: its } as Read<Machine>,
    instances: [instance(state)],
  };
  return { console: observeConsole(reader, 'eu-west-1', observed, time), inputs };
};

describe('the console of an instance', () => {
  it.each<{
    rule: string;
    seconds?: number;
    of?: AWSMachine;
    its?: Machine;
    state?: string;
    reads: boolean;
    next: number | undefined;
  }>([
    { rule: 'is not read while the host may still boot', seconds: 60, reads: false, next: 120 },
    { rule: 'is read when the Node is overdue, and again at growing intervals', reads: true, next: 50 },
    { rule: 'is read at most every ten minutes', seconds: 7200, reads: true, next: 600 },
    { rule: 'is not read of a Node', its: machine({ nodeRef: { name: 'n' } }), reads: false, next: undefined },
    {
      rule: 'is not read after it told a failure',
      of: awsMachine({ conditions: [...awsMachine().status!.conditions!, bootFailed] }),
      reads: false,
      next: undefined,
    },
    {
      rule: 'is not read of a Machine in deletion',
      its: machine({}, { deletionTimestamp: 'now' }),
      reads: false,
      next: undefined,
    },
    { rule: 'is not read of an instance that has stopped', state: 'stopped', reads: false, next: 50 },
  ])('$rule', ({ seconds = 200, of = awsMachine(), its = machine(), state, reads, next }) => {
    expect(asked(at(seconds), of, its, state).inputs.length).toBe(reads ? 1 : 0);
    expect(untilConsole(of, its, false, at(seconds))).toBe(next);
  });

  it('is read sooner where time runs faster', () =>
    expect(asked(at(10, 20), awsMachine(), machine()).inputs).toEqual([{ InstanceId: 'i-1', Latest: true }]));

  it('is read as it was at the last change of state on an instance type that answers only that', () => {
    const refusal: Answer = { state: 'unreadable', reason: 'UnsupportedOperation: no latest console logs' };
    const { inputs, console } = asked(at(200), awsMachine(), machine(), 'running', [refusal]);
    expect(inputs).toEqual([{ InstanceId: 'i-1', Latest: true }, { InstanceId: 'i-1' }]);
    expect(console).toEqual({ state: 'found', value: {} });
  });
});

describe('the condition of the boot scripts', () => {
  const printed = (text: string): Answer => ({
    state: 'found',
    value: { Output: Buffer.from(text).toString('base64') },
  });
  it.each<{ rule: string; of?: AWSMachine; its?: Machine; answer?: Answer; says: string[] }>([
    { rule: 'is absent while nothing was read', says: [] },
    { rule: 'is absent while no script failed', answer: printed(console('all is well')), says: [] },
    {
      rule: 'says what a script could not do, and where to look',
      answer: printed(console('kubeadm: no space left on device', ...refused)),
      says: [
        'False BootstrapFailed Warning: The boot scripts of instance i-1 failed: kubeadm: no space left on device (see /var/log/cloud-init-output.log on it)',
      ],
    },
    {
      rule: 'is no failure where the console cannot be read',
      answer: { state: 'unreadable', reason: 'UnauthorizedOperation: not authorized' },
      says: [
        'False ConsoleUnreadable Info: The console output of instance i-1 cannot be read: UnauthorizedOperation: not authorized',
      ],
    },
    {
      rule: 'says that the API server does not let the host in',
      answer: printed(
        ['Unauthorized', 'nodes is forbidden']
          .map(
            (err) => `[   60.0] kubelet[1]: E1 x.go:1] "Unable to register node with API server" err="${err}" node="n"`,
          )
          .join('\n'),
      ),
      says: [
        'False NodeRefused Warning: The API server does not let instance i-1 register as a Node: nodes is forbidden',
      ],
    },
    {
      rule: 'turns when the host became a Node after all',
      of: awsMachine({ conditions: [bootFailed] }),
      its: machine({ nodeRef: { name: 'n' } }),
      says: ['True'],
    },
  ])('$rule', ({ of = awsMachine(), its = machine(), answer, says }) => {
    const conditions = consoleConditions(of, its, instance(), answer).map(({ status, reason, severity, message }) =>
      status === 'True' ? status : `${status} ${reason} ${severity}: ${message}`,
    );
    expect(conditions).toEqual(says);
  });
});
