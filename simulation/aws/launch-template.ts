/** Launch templates and their versions. */
import type {
  CloudInput,
  LaunchTemplate,
  LaunchTemplateData,
  LaunchTemplateVersion,
} from '../../kinds/ports/cloud/index.ts';
import type { CollectionOf, Stored } from './collection.ts';
import { describe } from './describe.ts';
import { invalidParameter, refuse, tokenMismatch } from './errors.ts';
import type { Fields } from './filters.ts';
import { fingerprint } from './fingerprint.ts';
import { type IdErrors, named, newRecord } from './naming.ts';
import { partOf } from './paging.ts';
import type { AccountState, Call, Handlers } from './state.ts';
import { tagList } from './tags.ts';

interface VersionRecord {
  number: number;
  description?: string;
  data: LaunchTemplateData;
  token: string;
  parameters: string;
}

export interface LaunchTemplateRecord extends Stored {
  name: string;
  /** In the order of creation. */
  versions: VersionRecord[];
  defaultVersion: number;
  /** How many versions there have been: no number is given twice. */
  made: number;
}

export const launchTemplateErrors: IdErrors = {
  prefix: 'lt',
  notFound: 'InvalidLaunchTemplateId.NotFound',
  malformed: 'InvalidLaunchTemplateId.Malformed',
  message: (ids) => `The specified launch template, with template ID ${ids}, does not exist.`,
};

export const launchTemplates: CollectionOf<LaunchTemplateRecord> = {
  name: 'launch-templates',
  type: 'launch-template',
  errors: launchTemplateErrors,
  indexes: { 'launch-template-name': ({ name }) => [name] },
};

const fields: Fields<LaunchTemplateRecord> = {
  'launch-template-id': ({ id }) => [id],
  'launch-template-name': ({ name }) => [name],
};

const latestOf = ({ versions }: LaunchTemplateRecord): VersionRecord => versions.at(-1)!;

const view = (template: LaunchTemplateRecord): LaunchTemplate => ({
  LaunchTemplateId: template.id,
  LaunchTemplateName: template.name,
  DefaultVersionNumber: template.defaultVersion,
  LatestVersionNumber: latestOf(template).number,
  Tags: tagList(template.tags),
});

const viewVersion = (template: LaunchTemplateRecord, version: VersionRecord): LaunchTemplateVersion => ({
  LaunchTemplateId: template.id,
  VersionNumber: version.number,
  ...(version.description && { VersionDescription: version.description }),
  DefaultVersion: version.number === template.defaultVersion,
  LaunchTemplateData: version.data,
});

const versionIn = (template: LaunchTemplateRecord, version: string): VersionRecord | undefined => {
  if (version === '$Latest') return latestOf(template);
  const number = version === '$Default' ? template.defaultVersion : Number(version);
  return template.versions.find((one) => one.number === number);
};

/** The version that a launch by the template uses; refused like EC2's launches. */
export const templateVersion = (
  { launchTemplates: templates }: AccountState,
  region: string,
  id: string,
  version: string,
): { template: LaunchTemplateRecord; version: VersionRecord } => {
  const template = templates.get(id);
  if (template?.region !== region) return refuse(launchTemplateErrors.notFound, launchTemplateErrors.message(id));
  return { template, version: versionIn(template, version) ?? noSuchVersion(template, version) };
};

const noSuchVersion = ({ id }: LaunchTemplateRecord, version: string): never =>
  refuse(
    'InvalidLaunchTemplateId.VersionNotFound',
    `Could not find the specified version ${version} for the launch template with ID ${id}.`,
  );

const longestDescription = 255;
const maxUserData = 16_384;

const checkVersion = (data: LaunchTemplateData, description: string | undefined): void => {
  if ((description ?? '').length > longestDescription)
    invalidParameter(`The version description can have at most ${longestDescription} characters`);
  const { UserData = '' } = data;
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(UserData) || UserData.length % 4 !== 0)
    refuse('InvalidUserData.Malformed', 'Invalid BASE64 encoding of user data.');
  if (Buffer.from(UserData, 'base64').length > maxUserData)
    invalidParameter(`User data is limited to ${maxUserData} bytes`);
};

type NewVersion = Pick<CloudInput<'CreateLaunchTemplate'>, 'ClientToken' | 'LaunchTemplateData' | 'VersionDescription'>;
const newVersion = (number: number, input: NewVersion, parameters: string): VersionRecord => ({
  number,
  ...(input.VersionDescription && { description: input.VersionDescription }),
  data: input.LaunchTemplateData,
  token: input.ClientToken,
  parameters,
});

const withName = ({ account, region }: Call, name: string): LaunchTemplateRecord | undefined =>
  account.launchTemplates.by('launch-template-name', name).find((template) => template.region === region);

/** The ids of templates that are named instead; refused if one is missing. */
const idsNamed = (call: Call, names: readonly string[]): string[] =>
  names.map(
    (name) =>
      withName(call, name)?.id ??
      refuse(
        'InvalidLaunchTemplateName.NotFoundException',
        'At least one of the launch templates specified in the request does not exist.',
      ),
  );

export const launchTemplateActions = {
  DescribeLaunchTemplates: (call, { LaunchTemplateIds, LaunchTemplateNames, Filters, MaxResults, NextToken }) => {
    const ids = LaunchTemplateNames ? idsNamed(call, LaunchTemplateNames) : LaunchTemplateIds;
    const question = { ...(ids && { ids }), filters: Filters, MaxResults, NextToken };
    const limits = { least: 1, most: 200 };
    const found = describe(call, call.account.launchTemplates, launchTemplateErrors, fields, question, { limits });
    return { LaunchTemplates: found.items.map(view), ...(found.NextToken && { NextToken: found.NextToken }) };
  },

  /** The newest first. */
  DescribeLaunchTemplateVersions: (call, { LaunchTemplateId, Versions, MaxResults, NextToken }) => {
    const template = named(call, call.account.launchTemplates, LaunchTemplateId, launchTemplateErrors);
    const asked = Versions?.map((version) => versionIn(template, version) ?? noSuchVersion(template, version));
    const newestFirst = [...new Set(asked ?? template.versions)].sort((a, b) => b.number - a.number);
    const inOrder = newestFirst.map((version, index) => ({ seq: index + 1, version }));
    const found = partOf(inOrder, NextToken, MaxResults ?? inOrder.length);
    return {
      LaunchTemplateVersions: found.items.map(({ version }) => viewVersion(template, version)),
      ...(found.NextToken && { NextToken: found.NextToken }),
    };
  },

  CreateLaunchTemplate: (call, input) => {
    const { account } = call;
    const { LaunchTemplateName: name, LaunchTemplateData, VersionDescription, TagSpecifications } = input;
    if (!/^[\w().\-/]{3,128}$/.test(name))
      refuse(
        'InvalidLaunchTemplateName.MalformedException',
        'A launch template name must be between 3 and 128 characters, and may contain letters, numbers, and the following characters: - ( ) . / _.',
      );
    checkVersion(LaunchTemplateData, VersionDescription);
    const parameters = fingerprint({ ...input, ClientToken: undefined });
    const earlier = withName(call, name);
    if (earlier?.versions[0]?.token === input.ClientToken)
      return earlier.versions[0].parameters === parameters ? { LaunchTemplate: view(earlier) } : tokenMismatch();
    if (earlier) refuse('InvalidLaunchTemplateName.AlreadyExistsException', 'Launch template name already in use.');
    const { launchTemplates: most } = account.behaviour.quotas;
    if (account.launchTemplates.count('region', call.region) >= most)
      refuse('MaxLaunchTemplatesExceeded', `You have reached the maximum number of ${most} launch templates.`);
    const base = newRecord(call, 'lt', 'launch-template', TagSpecifications);
    const versions = [newVersion(1, input, parameters)];
    const template: LaunchTemplateRecord = { ...base, name, versions, defaultVersion: 1, made: 1 };
    account.launchTemplates.put(template);
    return { LaunchTemplate: view(template) };
  },

  CreateLaunchTemplateVersion: (call, input) => {
    const { account } = call;
    const { launchTemplateVersions } = account.behaviour.quotas;
    const template = named(call, account.launchTemplates, input.LaunchTemplateId, launchTemplateErrors);
    checkVersion(input.LaunchTemplateData, input.VersionDescription);
    const parameters = fingerprint({ ...input, ClientToken: undefined });
    const earlier = template.versions.find(({ token }) => token === input.ClientToken);
    if (earlier)
      return earlier.parameters === parameters
        ? { LaunchTemplateVersion: viewVersion(template, earlier) }
        : tokenMismatch();
    if (template.versions.length >= launchTemplateVersions)
      refuse(
        'VersionLimitExceeded',
        `You have reached the maximum number of ${launchTemplateVersions} versions for this launch template.`,
      );
    const version = newVersion(++template.made, input, parameters);
    template.versions.push(version);
    account.launchTemplates.put(template);
    return { LaunchTemplateVersion: viewVersion(template, version) };
  },

  DeleteLaunchTemplateVersions: (call, { LaunchTemplateId, Versions }) => {
    const { launchTemplates: templates } = call.account;
    const template = named(call, templates, LaunchTemplateId, launchTemplateErrors);
    const failures = Versions.flatMap((version) => {
      const found = versionIn(template, version);
      const failed = (Code: string, Message: string) => [
        { VersionNumber: Number(version) || 0, ResponseError: { Code, Message } },
      ];
      if (!found)
        return failed(
          'launchTemplateVersionDoesNotExist',
          `The version ${version} of the launch template does not exist.`,
        );
      if (found.number === template.defaultVersion)
        return failed('unexpectedError', 'The default version of a launch template cannot be deleted.');
      template.versions = template.versions.filter((one) => one !== found);
      return [];
    });
    templates.put(template);
    return { UnsuccessfullyDeletedLaunchTemplateVersions: failures };
  },

  DeleteLaunchTemplate: (call, { LaunchTemplateId }) => {
    const template = named(call, call.account.launchTemplates, LaunchTemplateId, launchTemplateErrors);
    call.account.launchTemplates.delete(template.id);
    return { LaunchTemplate: view(template) };
  },
} satisfies Handlers;
