import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Infer, int32, integer, object, required, string } from '../../../machinery/api/schema.ts';
import { localPoolReference, localReference, nameReference, poolReference } from '../schema.ts';

const ip = { minLength: 1, maxLength: 39 };
const address = {
  address: required(string('The IP address.', ip)),
  gateway: string('The gateway of its network.', ip),
};
const claim = 'The claim that it was created for.';
const prefix = 'Bits of the network part.';

export const ipAddressSpec = object('What was given to a claim.', {
  ...address,
  prefix: required(int32(prefix, { minimum: 0, maximum: 128 })),
  claimRef: required(nameReference(claim)),
  poolRef: required(poolReference),
});
export const localIPAddressSpec = object('What was given to a claim.', {
  ...address,
  prefix: required(integer(prefix)),
  claimRef: required(localReference(claim)),
  poolRef: required(localPoolReference),
});

export type IPAddressSpec = Infer<typeof ipAddressSpec>;
export type IPAddress = KubeObject<IPAddressSpec>;
declare module '../../../machinery/api/reconcile.ts' {
  interface ObjectTypes {
    IPAddress: IPAddress;
  }
}
