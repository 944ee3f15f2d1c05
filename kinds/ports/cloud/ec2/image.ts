/** Machine images. */
import type { Calls } from '../call.ts';
import type { Filter } from '../shared.ts';

export type Image = {
  ImageId: string;
  Name: string;
  OwnerId: string;
  State: string;
  Architecture: 'x86_64' | 'arm64';
  CreationDate: string;
  RootDeviceName: string;
  BlockDeviceMappings: { DeviceName: string; Ebs?: { VolumeSize?: number; SnapshotId?: string } }[];
  VirtualizationType: string;
};
export interface ImageActions {
  DescribeImages: [{ ImageIds?: string[]; Owners?: string[]; Filters?: Filter[] }, { Images: Image[] }];
}

export const imageCalls = {
  DescribeImages: {},
} as const satisfies Calls<ImageActions>;
