import { expect, it } from 'vitest';
import { sameFacts } from './facts.ts';

const condition = (message: string, status = 'False', reason = 'NotAvailable') => ({
  conditions: [{ type: 'Available', status, reason, message }],
});

it.each([
  { rule: 'words', before: condition('0 of 2 replicas'), after: condition('1 of 2 replicas'), same: true },
  { rule: 'a reason', before: condition('', 'False', 'A'), after: condition('', 'False', 'B'), same: true },
  { rule: 'a status', before: condition('', 'False'), after: condition('', 'True'), same: false },
  {
    rule: 'one of two things that were missing',
    before: condition('KubeadmConfigTemplate and AWSMachineTemplate do not exist'),
    after: condition('AWSMachineTemplate does not exist'),
    same: false,
  },
  {
    rule: 'the last thing that was missing',
    before: condition('AWSMachineTemplate does not exist'),
    after: condition('0 of 2 replicas'),
    same: false,
  },
  {
    rule: 'a Secret that was missing',
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
    rule: 'the same in an older contract',
    before: { deprecated: { v1beta1: condition('Subnet a is not there') } },
    after: { deprecated: { v1beta1: condition('Subnet b is not there') } },
    same: false,
  },
  {
    rule: 'words of a step',
    before: { steps: [{ name: 'Network', message: 'waiting for 2' }] },
    after: { steps: [{ name: 'Network', message: 'waiting for 1' }] },
    same: true,
  },
])('a status that changes $rule says the same: $same', ({ before, after, same }) => {
  expect(sameFacts(before, after)).toBe(same);
  expect(sameFacts(after, before)).toBe(same);
});
