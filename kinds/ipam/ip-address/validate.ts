import type { Admission, FieldError } from '../../../machinery/api/kind.ts';
import { equal } from '../../../machinery/api/merge.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { immutable, invalidValue } from '../../common/validate.ts';
import type { IPAddressClaim } from '../ip-address-claim/schema.ts';
import { addressOf, bitsOf } from '../pool/ranges.ts';
import { samePool } from '../references.ts';
import type { IPAddress } from './schema.ts';

/** `related`: the claim, if it exists. */
export const validateIPAddress = (object: KubeObject, { old, related = [] }: Admission): FieldError[] => {
  const { spec } = object as IPAddress;
  if (!spec) return [];
  if (old) return equal(old.spec, spec) ? [] : [immutable('spec')];
  const address = addressOf(spec.address);
  const gateway = spec.gateway === undefined ? undefined : addressOf(spec.gateway);
  const [claim] = related as readonly IPAddressClaim[];
  return [
    ...(address ? [] : [invalidValue('spec.address', spec.address, 'not a valid IP address')]),
    ...(address && spec.prefix > bitsOf(address.family)
      ? [invalidValue('spec.prefix', spec.prefix, `must be at most ${bitsOf(address.family)} for this address`)]
      : []),
    ...(spec.gateway !== undefined && !gateway
      ? [invalidValue('spec.gateway', spec.gateway, 'not a valid IP address')]
      : []),
    ...(address && gateway && address.family !== gateway.family
      ? [invalidValue('spec.gateway', spec.gateway, 'address and gateway are of mixed IP families')]
      : []),
    ...(claim?.spec && !samePool(claim.spec.poolRef, spec.poolRef)
      ? [
          invalidValue(
            'spec.poolRef',
            spec.poolRef,
            `IPAddressClaim ${claim.metadata.name} refers to another pool, ${claim.spec.poolRef.kind} ${claim.spec.poolRef.name}`,
          ),
        ]
      : []),
  ];
};
