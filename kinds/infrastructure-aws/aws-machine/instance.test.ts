import { expect, it } from 'vitest';
import type { Instance } from '../../ports/cloud.ts';
import { groupRepairs } from './instance.ts';

const networkInterface = (DeviceIndex: number, ...groups: string[]) => ({
  NetworkInterfaceId: `eni-${DeviceIndex}`,
  Attachment: { DeviceIndex },
  Groups: groups.map((GroupId) => ({ GroupId })),
});
/** A node's instance after a while, with an interface for pods. */
const instance = {
  InstanceId: 'i-1',
  NetworkInterfaces: [networkInterface(0, 'sg-old'), networkInterface(1, 'sg-pods')],
} as unknown as Instance;

const inputs = (actions: readonly object[]) => actions.map((one) => (one as { input: { input: object } }).input.input);

it('security groups are set right on the interface of the launch, and left to others on theirs', () =>
  expect(inputs(groupRepairs('r', instance, ['sg-new']))).toEqual([
    { NetworkInterfaceId: 'eni-0', Groups: ['sg-new'] },
  ]));
