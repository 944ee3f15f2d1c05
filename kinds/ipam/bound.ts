/** Which address belongs to which claim. */
import { controllerOf } from '../common/owners.ts';
import type { IPAddress } from './ip-address/schema.ts';
import type { IPAddressClaim } from './ip-address-claim/schema.ts';
import { samePool } from './references.ts';

/** Whether the address was created for this very claim, or came without owners from elsewhere. */
export const isAddressOf = ({ metadata, spec }: IPAddressClaim, address: IPAddress): boolean => {
  const controller = controllerOf(address);
  return (
    address.metadata.namespace === metadata.namespace &&
    address.metadata.name === metadata.name &&
    address.spec?.claimRef.name === metadata.name &&
    samePool(address.spec.poolRef, spec?.poolRef) &&
    (controller === undefined || controller.uid === metadata.uid)
  );
};
