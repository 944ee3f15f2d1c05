import { expect, it } from 'vitest';
import { sameFacts } from './facts.ts';

const condition = (message: string, status = 'False', reason = 'NotAvailable') => ({
  conditions: [{ type: 'Available', status, reason, message }],
});

const notes = ['seen', 'steps.message'];

it.each([
  { rule: 'only its message', before: condition('0 of 2 replicas'), after: condition('1 of 2 replicas'), same: true },
  { rule: 'only its reason', before: condition('', 'False', 'A'), after: condition('', 'False', 'B'), same: true },
  { rule: 'its status', before: condition('', 'False'), after: condition('', 'True'), same: false },
  {
    rule: 'one of two missing objects in its message',
    before: condition('KubeadmConfigTemplate and AWSMachineTemplate do not exist'),
    after: condition('AWSMachineTemplate does not exist'),
    same: false,
  },
  {
    rule: 'the last missing object in its message',
    before: condition('AWSMachineTemplate does not exist'),
    after: condition('0 of 2 replicas'),
    same: false,
  },
  {
    rule: 'a missing Secret in its message',
    before: condition('Secrets are missing or incomplete: c-ca, c-etcd'),
    after: condition('Secrets are missing or incomplete: c-etcd'),
    same: false,
  },
  {
    rule: 'nothing',
    before: condition('AWSMachineTemplate does not exist'),
    after: condition('AWSMachineTemplate does not exist'),
    same: true,
  },
  {
    rule: 'a missing object in the message of a v1beta1 condition',
    before: { deprecated: { v1beta1: condition('Subnet a is not there') } },
    after: { deprecated: { v1beta1: condition('Subnet b is not there') } },
    same: false,
  },
  {
    rule: 'a note that its kind marks',
    before: { seen: '1' },
    after: { seen: '2' },
    same: true,
  },
  {
    rule: 'a field that its kind does not mark',
    before: { size: 1 },
    after: { size: 2 },
    same: false,
  },
  {
    rule: 'the message of a step',
    before: { steps: [{ name: 'Network', message: 'waiting for 2' }] },
    after: { steps: [{ name: 'Network', message: 'waiting for 1' }] },
    same: true,
  },
])('a status that changes $rule states the same facts: $same', ({ before, after, same }) => {
  expect(sameFacts(before, after, notes)).toBe(same);
  expect(sameFacts(after, before, notes)).toBe(same);
});
