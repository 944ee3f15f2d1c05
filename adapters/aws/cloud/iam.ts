/** Calls of IAM, which is global within a partition. */
import {
  AttachRolePolicyCommand,
  CreateRoleCommand,
  DeleteRoleCommand,
  DetachRolePolicyCommand,
  GetInstanceProfileCommand,
  GetRoleCommand,
  IAMClient,
  ListAttachedRolePoliciesCommand,
  type Role as SdkRole,
  type Tag as SdkTag,
} from '@aws-sdk/client-iam';
import type { Role, Tag } from '../../../kinds/ports/cloud/index.ts';
import { type Decode, list, nothing, record, text } from './decode.ts';
import type { ClientConfig, Operations } from './operations.ts';
import { given } from './sdk-input.ts';

const tag: Decode<SdkTag, Tag> = record({ Key: text, Value: text });
const role: Decode<{ Role: SdkRole | undefined }, { Role: Role }> = record({
  Role: record({ RoleName: text, Arn: text, Tags: list(tag) }),
});

export const operations = (config: ClientConfig): Operations<'iam'> => {
  const client = new IAMClient(config);
  return {
    GetInstanceProfile: (input) =>
      client
        .send(new GetInstanceProfileCommand(given(input)))
        .then(record({ InstanceProfile: record({ InstanceProfileName: text, Arn: text }) })),
    GetRole: (input) => client.send(new GetRoleCommand(given(input))).then(role),
    ListAttachedRolePolicies: (input) =>
      client
        .send(new ListAttachedRolePoliciesCommand(given(input)))
        .then(record({ AttachedPolicies: list(record({ PolicyArn: text })) })),
    CreateRole: (input) => client.send(new CreateRoleCommand(given(input))).then(role),
    AttachRolePolicy: (input) => client.send(new AttachRolePolicyCommand(given(input))).then(nothing),
    DetachRolePolicy: (input) => client.send(new DetachRolePolicyCommand(given(input))).then(nothing),
    DeleteRole: (input) => client.send(new DeleteRoleCommand(given(input))).then(nothing),
  };
};
