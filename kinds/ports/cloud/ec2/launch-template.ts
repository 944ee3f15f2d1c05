/** Launch templates, whose versions never change. */
import type { Calls } from '../call.ts';
import { list } from '../list.ts';
import type { Filter, Page, Tag, TagSpecifications } from '../shared.ts';
import type { RunInstancesInput } from './instance.ts';

/** The parameters of a RunInstances by the template, without the place and the number of instances. */
export type LaunchTemplateData = Partial<
  Pick<
    RunInstancesInput,
    | 'ImageId'
    | 'InstanceType'
    | 'UserData'
    | 'SecurityGroupIds'
    | 'KeyName'
    | 'EbsOptimized'
    | 'BlockDeviceMappings'
    | 'NetworkInterfaces'
    | 'MetadataOptions'
    | 'Placement'
    | 'CpuOptions'
    | 'PrivateDnsNameOptions'
    | 'InstanceMarketOptions'
    | 'CapacityReservationSpecification'
  >
> & {
  IamInstanceProfile?: { Name: string } | { Arn: string };
  EnclaveOptions?: { Enabled: boolean };
  /** Of the resources that the template launches. */
  TagSpecifications?: TagSpecifications;
};
export type LaunchTemplate = {
  LaunchTemplateId: string;
  LaunchTemplateName: string;
  DefaultVersionNumber: number;
  LatestVersionNumber: number;
  Tags: Tag[];
};
export type LaunchTemplateVersion = {
  LaunchTemplateId: string;
  VersionNumber: number;
  /** At most 255 characters. */
  VersionDescription?: string;
  DefaultVersion: boolean;
  LaunchTemplateData: LaunchTemplateData;
};

export interface LaunchTemplateActions {
  DescribeLaunchTemplates: [
    { LaunchTemplateIds?: string[]; LaunchTemplateNames?: string[]; Filters?: Filter[] } & Page,
    { LaunchTemplates: LaunchTemplate[]; NextToken?: string },
  ];
  /** `Versions`: numbers, `$Latest` and `$Default`; all versions when absent. */
  DescribeLaunchTemplateVersions: [
    { LaunchTemplateId: string; Versions?: string[] } & Page,
    { LaunchTemplateVersions: LaunchTemplateVersion[]; NextToken?: string },
  ];
  CreateLaunchTemplate: [
    {
      LaunchTemplateName: string;
      VersionDescription?: string;
      LaunchTemplateData: LaunchTemplateData;
      TagSpecifications: TagSpecifications;
      ClientToken: string;
    },
    { LaunchTemplate: LaunchTemplate },
  ];
  CreateLaunchTemplateVersion: [
    {
      LaunchTemplateId: string;
      VersionDescription?: string;
      LaunchTemplateData: LaunchTemplateData;
      ClientToken: string;
    },
    { LaunchTemplateVersion: LaunchTemplateVersion },
  ];
  /** The default version cannot be deleted. */
  DeleteLaunchTemplateVersions: [
    { LaunchTemplateId: string; Versions: string[] },
    {
      UnsuccessfullyDeletedLaunchTemplateVersions: {
        VersionNumber: number;
        ResponseError: { Code: string; Message: string };
      }[];
    },
  ];
  DeleteLaunchTemplate: [{ LaunchTemplateId: string }, { LaunchTemplate: LaunchTemplate }];
}

export const launchTemplateCalls = {
  DescribeLaunchTemplates: {},
  DescribeLaunchTemplateVersions: {},
  CreateLaunchTemplate: { also: ['ec2:CreateTags'], makes: ['launch-template'] },
  CreateLaunchTemplateVersion: { ours: ['launch-template'] },
  DeleteLaunchTemplateVersions: { ours: ['launch-template'] },
  DeleteLaunchTemplate: { ours: ['launch-template'] },
} as const satisfies Calls<LaunchTemplateActions>;

export const launchTemplates = list('DescribeLaunchTemplates', 'LaunchTemplateId', {
  type: 'launch-template',
  prefix: 'lt',
  pageSize: 200,
});
