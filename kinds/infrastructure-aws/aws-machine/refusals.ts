/** Refused launches by what follows from them, for controllers that know no word of AWS. Pure. */
import type { KubeObject, LegacyCondition } from '../../../machinery/api/object.ts';
import type { Consequence, Refusal } from '../../core/contract/machine-provider.ts';

/** By EC2's code. A launch that falls back leaves the spot market with each `noCapacity`. */
const consequences: Readonly<Record<string, Consequence>> = {
  InsufficientInstanceCapacity: 'noCapacity',
  InsufficientHostCapacity: 'noCapacity',
  ReservationCapacityExceeded: 'noCapacity',
  InsufficientFreeAddressesInSubnet: 'noCapacity',
  MaxSpotInstanceCountExceeded: 'noCapacity',
  SpotMaxPriceTooLow: 'noCapacity',
  VcpuLimitExceeded: 'quota',
  ServiceLinkedRoleCreationNotPermitted: 'notPermitted',
};
const anyCode = new RegExp(`\\b(${Object.keys(consequences).join('|')})\\b`);

/** A refused launch is reported in a condition. */
export const refusalOf = ({ status }: KubeObject): Refusal | undefined => {
  const { conditions = [] } = (status ?? {}) as { conditions?: LegacyCondition[] };
  for (const { status: value, message, lastTransitionTime } of conditions) {
    const code = value === 'False' ? anyCode.exec(message ?? '')?.[1] : undefined;
    if (code !== undefined)
      return { consequence: consequences[code]!, code, at: Date.parse(lastTransitionTime ?? '') || 0 };
  }
  return undefined;
};
