import type { Admission, FieldError } from '../../../machinery/api/kind.ts';
import { equal } from '../../../machinery/api/merge.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { listOf } from '../../common/list-of.ts';
import { invalidValue, requiredField } from '../../common/validate.ts';
import type { IPAddress } from '../ip-address/schema.ts';
import { allocatable, networkOfPool } from './addresses.ts';
import { allocationsOf } from './allocation.ts';
import { addressOf, bitsOf, contains, rangeOf } from './ranges.ts';
import type { Pool, PoolSpec } from './schema.ts';

const form = 'must be an IP address, a range such as 10.0.0.10-10.0.0.20, or a CIDR block';
const mixed = 'addresses are of mixed IP families';

const malformed = (field: string, texts: readonly string[] = []): FieldError[] =>
  texts.flatMap((text, i) => (rangeOf(text) ? [] : [invalidValue(`${field}[${i}]`, text, form)]));

const familiesOf = (texts: readonly string[] = []): string[] => texts.flatMap((text) => rangeOf(text)?.family ?? []);

const faultsOf = (spec: PoolSpec): FieldError[] => {
  const { addresses, excludedAddresses, gateway } = spec;
  if (addresses.length === 0) return [requiredField('spec.addresses', 'at least one address must be given')];
  const faults = [
    ...malformed('spec.addresses', addresses),
    ...malformed('spec.excludedAddresses', excludedAddresses),
    ...(gateway && !addressOf(gateway) ? [invalidValue('spec.gateway', gateway, 'must be an IP address')] : []),
  ];
  if (faults.length > 0) return faults;
  const [family, ...others] = familiesOf(addresses);
  const isMixed = (texts: readonly string[] = []) => familiesOf(texts).some((one) => one !== family);
  return [
    ...(others.some((one) => one !== family) ? [invalidValue('spec.addresses', addresses, mixed)] : []),
    ...(isMixed(excludedAddresses) ? [invalidValue('spec.excludedAddresses', excludedAddresses, mixed)] : []),
    ...(gateway && isMixed([gateway]) ? [invalidValue('spec.gateway', gateway, mixed)] : []),
  ];
};

const outsideNetwork = (spec: PoolSpec): FieldError[] => {
  const { addresses, prefix } = spec;
  const bits = bitsOf(rangeOf(addresses[0]!)!.family);
  if (prefix > bits) return [invalidValue('spec.prefix', prefix, `must be at most ${bits} for these addresses`)];
  const network = networkOfPool(spec)!;
  return addresses.flatMap((text, i) => {
    const { from, to } = rangeOf(text)!;
    const isWithin = network.from <= from && to <= network.to;
    return isWithin
      ? []
      : [invalidValue(`spec.addresses[${i}]`, text, 'is in another network than the lowest address')];
  });
};

/** The most addresses that a message names. */
const named = 5;

/** Addresses in use that the pool gives now and would not give any more. */
const lost = (spec: PoolSpec, old: Pool, addresses: readonly IPAddress[]): FieldError[] => {
  const [before, after] = [old.spec ? allocatable(old.spec) : [], allocatable(spec)];
  const used = [
    ...addresses.map((one) => one.spec?.address ?? ''),
    ...allocationsOf(old).map(({ address }) => address),
  ];
  const gone = [...new Set(used)].filter((text) => {
    const address = addressOf(text);
    return address && contains(before, address) && !contains(after, address);
  });
  if (gone.length === 0) return [];
  const more = gone.length > named ? [`${gone.length - named} more`] : [];
  const detail = `does not contain ${listOf([...gone.slice(0, named), ...more])}, which claims have`;
  return [invalidValue('spec.addresses', spec.addresses, detail)];
};

/** `related`: the addresses that claims have from the pool. */
export const validatePool = (object: KubeObject, { old, related = [] }: Admission): FieldError[] => {
  const { spec } = object as Pool;
  if (!spec || (old && equal(old.spec, spec))) return [];
  const faults = faultsOf(spec);
  if (faults.length > 0) return faults;
  const outside = outsideNetwork(spec);
  if (outside.length > 0) return outside;
  return old ? lost(spec, old as Pool, related as readonly IPAddress[]) : [];
};
