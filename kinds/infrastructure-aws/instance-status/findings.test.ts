import { expect, it } from 'vitest';
import type { InstanceEvent, InstanceStatus } from '../../ports/cloud/index.ts';
import { findingsOf } from './findings.ts';

const statusWith = (more: Partial<InstanceStatus>): InstanceStatus => ({
  InstanceId: 'i-1',
  InstanceState: { Name: 'running' },
  SystemStatus: { Status: 'ok' },
  InstanceStatus: { Status: 'ok' },
  AttachedEbsStatus: { Status: 'ok' },
  Events: [],
  ...more,
});
const impaired = { Status: 'impaired' };
const event = (Code: string, NotBefore?: string, Description = 'degraded hardware'): InstanceEvent => ({
  Code,
  Description,
  ...(NotBefore && { NotBefore }),
});

it.each<{ rule: string; status: Partial<InstanceStatus>; finds: string[] }>([
  { rule: 'finds nothing about a healthy instance', status: {}, finds: [] },
  {
    rule: 'finds nothing while the checks have no result',
    status: { SystemStatus: { Status: 'initializing' }, InstanceStatus: { Status: 'insufficient-data' } },
    finds: [],
  },
  {
    rule: 'finds a failed system status check',
    status: { SystemStatus: impaired },
    finds: ['HostHealthy=False/SystemStatusCheckFailed: EC2 reports a failed system status check of instance i-1'],
  },
  {
    rule: 'names all failed checks, the first as the reason',
    status: { InstanceStatus: impaired, AttachedEbsStatus: impaired },
    finds: [
      'HostHealthy=False/InstanceStatusCheckFailed: EC2 reports a failed instance and attached EBS status check of instance i-1',
    ],
  },
  {
    rule: 'finds the retirement that comes first',
    status: {
      Events: [event('instance-retirement', '2026-02-02T00:00:00Z'), event('instance-stop', '2026-02-01T00:00:00Z')],
    },
    finds: [
      'HostRetirementScheduled=True/InstanceStop: EC2 has scheduled instance-stop of instance i-1, not before 2026-02-01T00:00:00Z: degraded hardware',
    ],
  },
  {
    rule: 'finds maintenance after which the instance comes back',
    status: { Events: [event('system-reboot')] },
    finds: [
      'HostMaintenanceScheduled=True/SystemReboot: EC2 has scheduled system-reboot of instance i-1: degraded hardware',
    ],
  },
  {
    rule: 'ignores events that are over',
    status: {
      Events: [
        event('instance-retirement', undefined, '[Completed] degraded hardware'),
        event('instance-stop', undefined, '[Canceled] degraded hardware'),
      ],
    },
    finds: [],
  },
  {
    rule: 'reports an unknown event as maintenance',
    status: { Events: [event('quantum-leap')] },
    finds: [
      'HostMaintenanceScheduled=True/QuantumLeap: EC2 has scheduled quantum-leap of instance i-1: degraded hardware',
    ],
  },
])('$rule', ({ status, finds }) => {
  const findings = findingsOf(statusWith(status)).map(
    ({ type, status: is, reason, message }) => `${type}=${is}/${reason}: ${message}`,
  );
  expect(findings).toEqual(finds);
});
