import { expect, it } from 'vitest';
import type { Instance } from '../../ports/cloud/index.ts';
import { groupRepairs } from './instance.ts';

const networkInterface = (DeviceIndex: number, ...groups: string[]) => ({
  NetworkInterfaceId: `eni-${DeviceIndex}`,
  Attachment: { DeviceIndex },
  Groups: groups.map((GroupId) => ({ GroupId })),
});
/** The instance of a node after a while, with a network interface for pods. */
const instance = {
  InstanceId: 'i-1',
  NetworkInterfaces: [networkInterface(0, 'sg-old'), networkInterface(1, 'sg-pods')],
} as unknown as Instance;

const inputs = (actions: readonly object[]) => actions.map((one) => (one as { input: { input: object } }).input.input);

it('updates the security groups of the interface of the launch only', () =>
  expect(inputs(groupRepairs('r', instance, ['sg-new']))).toEqual([
    { NetworkInterfaceId: 'eni-0', Groups: ['sg-new'] },
  ]));
