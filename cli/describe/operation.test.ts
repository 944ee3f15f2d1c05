import { describe, expect, it } from 'vitest';
import type { ClusterOperation, OperationStatus } from '../../kinds/operations/cluster-operation/index.ts';
import type { TreeNode } from './node.ts';
import { operationRow, type Steps } from './operation.ts';

const at = (time: string) => `2026-01-01T${time}Z`;
const operation = (status: OperationStatus | undefined): ClusterOperation => ({
  apiVersion: 'capstan.dev/v1alpha1',
  kind: 'ClusterOperation',
  metadata: { name: 'c-create-2', creationTimestamp: at('00:00:00') },
  spec: { clusterName: 'c', type: 'create', fingerprint: '0123456789abcdef', attempt: 2 },
  ...(status && { status }),
});

const preflight = {
  name: 'Preflight',
  started: at('00:00:00'),
  ended: at('00:00:02'),
  verdict: 'Succeeded',
  message: 'all is there',
} as const;
const network = { name: 'Network', started: at('00:00:02'), ended: at('00:03:22'), verdict: 'Succeeded' } as const;
const loadBalancer = {
  name: 'LoadBalancer',
  started: at('00:03:22'),
  verdict: 'Running',
  message: 'Waiting for its name to resolve',
} as const;
const running: OperationStatus = {
  phase: 'Running',
  step: 'LoadBalancer',
  message: 'Waiting for its name to resolve',
  started: at('00:00:00'),
  deadline: at('01:00:00'),
  steps: [preflight, network, loadBalancer],
};

type Cells = [label: string, status: string, reason: string, since: string, message: string];
const cells = ({ label, status, reason, since, message }: TreeNode): Cells => [
  label,
  status,
  reason,
  since?.slice(11, 19) ?? '',
  message,
];
const rows = (status: OperationStatus | undefined, steps: Steps): Cells[] => {
  const root = operationRow(operation(status), steps);
  return [root, ...root.children].map(cells);
};

describe('the rows of an operation', () => {
  it.each<{ rule: string; status: OperationStatus | undefined; steps?: Steps; is: Cells[] }>([
    {
      rule: 'show for each step its duration, and what it found or waits for',
      status: running,
      is: [
        ['ClusterOperation/c-create-2', 'Running', 'create, attempt 2', '00:00:00', 'until 2026-01-01T01:00:00Z'],
        ['Step/Preflight', 'Succeeded', 'took 2s', '00:00:02', 'all is there'],
        ['Step/Network', 'Succeeded', 'took 3m20s', '00:03:22', ''],
        ['Step/LoadBalancer', 'Running', '', '00:03:22', 'Waiting for its name to resolve'],
      ],
    },
    {
      rule: 'collapse finished steps where space is short',
      status: running,
      steps: 'open',
      is: [
        ['ClusterOperation/c-create-2', 'Running', 'create, attempt 2', '00:00:00', 'until 2026-01-01T01:00:00Z'],
        ['2 steps', 'Succeeded', 'took 3m22s', '00:03:22', ''],
        ['Step/LoadBalancer', 'Running', '', '00:03:22', 'Waiting for its name to resolve'],
      ],
    },
    {
      rule: 'mark an operation past its deadline as late',
      status: { phase: 'Running', late: true, deadline: at('01:00:00'), message: 'Workers is late' },
      is: [['ClusterOperation/c-create-2', 'Running', 'create, attempt 2', '00:00:00', 'late: Workers is late']],
    },
    {
      rule: 'omit the deadline of an operation whose clock is stopped',
      status: { phase: 'Running', started: at('00:00:00'), clock: { seconds: 5 } },
      is: [['ClusterOperation/c-create-2', 'Running', 'create, attempt 2', '00:00:00', '']],
    },
    {
      rule: 'give the reason of a failed step at any depth',
      status: {
        phase: 'TornDown',
        message: 'LoadBalancer was refused',
        started: at('00:00:00'),
        ended: at('00:05:00'),
        steps: [
          preflight,
          { ...loadBalancer, ended: at('00:04:00'), verdict: 'Refused', message: 'no such scheme' },
          { name: 'TearDown', started: at('00:04:00'), ended: at('00:05:00'), verdict: 'Succeeded' },
        ],
      },
      steps: 'open',
      is: [
        [
          'ClusterOperation/c-create-2',
          'TornDown',
          'create, attempt 2, took 5m',
          '00:05:00',
          'LoadBalancer was refused',
        ],
        ['2 steps', 'Succeeded', 'took 5m', '00:05:00', ''],
        ['Step/LoadBalancer', 'Refused', 'took 38s', '00:04:00', 'no such scheme'],
      ],
    },
    {
      rule: 'collapse a successful operation where space is short',
      status: {
        phase: 'Succeeded',
        message: 'Done',
        started: at('00:00:00'),
        ended: at('00:03:22'),
        steps: [preflight, network],
      },
      steps: 'open',
      is: [['ClusterOperation/c-create-2', 'Succeeded', 'create, attempt 2, took 3m22s', '00:03:22', 'Done']],
    },
    {
      rule: 'show an operation without status as pending',
      status: undefined,
      is: [['ClusterOperation/c-create-2', 'Pending', 'create, attempt 2', '00:00:00', '']],
    },
  ])('$rule', ({ status, steps = 'all', is }) => expect(rows(status, steps)).toEqual(is));
});
