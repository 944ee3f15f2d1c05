/** Regions and their zones. */
import type { Calls } from '../call.ts';
import type { Filter } from '../shared.ts';

export type Region = {
  RegionName: string;
  OptInStatus: 'opt-in-not-required' | 'opted-in' | 'not-opted-in';
};
export type AvailabilityZone = {
  ZoneName: string;
  ZoneId: string;
  ZoneType: 'availability-zone' | 'local-zone' | 'wavelength-zone';
  State: string;
  RegionName: string;
  ParentZoneName?: string;
};
export interface RegionActions {
  /**
   * Answered in any region of the partition. With AllRegions, includes regions that the account has
   * not enabled.
   */
  DescribeRegions: [{ AllRegions?: boolean; RegionNames?: string[] }, { Regions: Region[] }];
  DescribeAvailabilityZones: [{ Filters?: Filter[]; ZoneNames?: string[] }, { AvailabilityZones: AvailabilityZone[] }];
}

export const regionCalls = {
  DescribeRegions: {},
  DescribeAvailabilityZones: {},
} as const satisfies Calls<RegionActions>;
