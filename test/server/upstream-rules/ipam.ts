/**
 * Rules for claims and addresses (api/ipam and core/webhooks/admission of Cluster API 1.14), and for
 * pools (internal/webhooks of the in-cluster provider 1.1).
 */
import type { UpstreamRule } from './rule.ts';

const ofPools = (kind: string): UpstreamRule[] => [
  {
    kind,
    refuses: 'a pool without addresses',
    with: { spec: { addresses: [] } },
    says: 'spec.addresses: Required value: at least one address must be given',
  },
  {
    kind,
    refuses: 'an address that is none',
    with: { spec: { addresses: ['10.0.0.10', '10.0.0.9-10.0.0.1'] } },
    says: 'spec.addresses[1]: Invalid value: "10.0.0.9-10.0.0.1": must be an IP address, a range',
  },
  {
    kind,
    refuses: 'addresses of both families',
    with: { spec: { addresses: ['10.0.0.10', '2001:db8::1'] } },
    says: 'addresses are of mixed IP families',
  },
  {
    kind,
    refuses: 'an address outside of the network',
    with: { spec: { addresses: ['10.0.0.10', '10.0.1.10'] } },
    says: 'spec.addresses[1]: Invalid value: "10.0.1.10": is in another network than the lowest address',
  },
  {
    kind,
    refuses: 'a prefix that no address has',
    with: { spec: { prefix: 129 } },
    says: 'spec.prefix: Invalid value',
  },
  {
    kind,
    refuses: 'a prefix that these addresses do not have',
    with: { spec: { prefix: 64 } },
    says: 'spec.prefix: Invalid value: 64: must be at most 32',
  },
  { kind, refuses: 'a negative prefix', with: { spec: { prefix: -1 } }, says: 'spec.prefix: Invalid value' },
  {
    kind,
    refuses: 'a gateway that is none',
    with: { spec: { gateway: 'router' } },
    says: 'spec.gateway: Invalid value: "router": must be an IP address',
  },
  {
    kind,
    refuses: 'a gateway of the other family',
    with: { spec: { gateway: '2001:db8::1' } },
    says: 'spec.gateway: Invalid value: "2001:db8::1": addresses are of mixed IP families',
  },
  {
    kind,
    refuses: 'an exclusion that is none',
    with: { spec: { excludedAddresses: ['all'] } },
    says: 'spec.excludedAddresses[0]: Invalid value: "all"',
  },
  {
    kind,
    refuses: 'exclusions of the other family',
    with: { spec: { excludedAddresses: ['2001:db8::1'] } },
    says: 'spec.excludedAddresses: Invalid value',
  },
  {
    kind,
    refuses: 'a negative grace period',
    with: { spec: { addressReuseGracePeriodSeconds: -1 } },
    says: 'spec.addressReuseGracePeriodSeconds: Invalid value',
  },
];

export const ipamRules: UpstreamRule[] = [
  ...ofPools('InClusterIPPool'),
  ...ofPools('GlobalInClusterIPPool'),
  {
    kind: 'IPAddressClaim',
    refuses: 'a pool without a group',
    with: { spec: { poolRef: { apiGroup: null } } },
    says: 'spec.poolRef.apiGroup: Required value',
  },
  {
    kind: 'IPAddressClaim',
    refuses: 'another pool',
    stored: {},
    with: { spec: { poolRef: { name: 'other' } } },
    says: 'spec: Forbidden: field is immutable',
  },
  {
    kind: 'IPAddress',
    refuses: 'an address that is none',
    with: { spec: { address: '10.0.0' } },
    says: 'spec.address: Invalid value: "10.0.0": not a valid IP address',
  },
  {
    kind: 'IPAddress',
    refuses: 'a prefix that the address does not have',
    with: { spec: { prefix: 33 } },
    says: 'spec.prefix: Invalid value: 33: must be at most 32',
  },
  {
    kind: 'IPAddress',
    refuses: 'a negative prefix',
    with: { spec: { prefix: -1 } },
    says: 'spec.prefix: Invalid value',
  },
  {
    kind: 'IPAddress',
    refuses: 'a gateway that is none',
    with: { spec: { gateway: 'router' } },
    says: 'spec.gateway: Invalid value: "router": not a valid IP address',
  },
  {
    kind: 'IPAddress',
    refuses: 'a gateway of the other family',
    with: { spec: { gateway: '2001:db8::1' } },
    says: 'spec.gateway: Invalid value',
  },
  {
    kind: 'IPAddress',
    refuses: 'a pool without a group',
    with: { spec: { poolRef: { apiGroup: null } } },
    says: 'spec.poolRef.apiGroup: Required value',
  },
  {
    kind: 'IPAddress',
    refuses: 'another address',
    stored: {},
    with: { spec: { address: '10.0.0.11' } },
    says: 'spec: Forbidden: field is immutable',
  },
];
