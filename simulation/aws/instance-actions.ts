/** Actions on existing instances. */
import { describe } from './describe.ts';
import { refuse } from './errors.ts';
import type { Fields } from './filters.ts';
import { type InstanceRecord, instanceErrors, instanceState, observedState, viewInstance } from './instance.ts';
import { isNitro } from './instance-type.ts';
import { endInstance } from './lifecycle.ts';
import { checkMetadata } from './metadata.ts';
import { named } from './naming.ts';
import type { Call, Handlers } from './state.ts';
import { checkShownTags } from './tags.ts';

/** Fixes each instance's state for one request, so that filter and response agree. */
const statesOf = (call: Call): ((instance: InstanceRecord) => ReturnType<typeof observedState>) => {
  const seen = new Map<string, ReturnType<typeof observedState>>();
  return (instance) => {
    const state = seen.get(instance.id) ?? observedState(call, instance);
    seen.set(instance.id, state);
    return state;
  };
};

const fieldsFor = (stateOf: (instance: InstanceRecord) => string): Fields<InstanceRecord> => {
  /** Terminated instances no longer have network attributes. */
  const living =
    (field: (instance: InstanceRecord) => string[]) =>
    (instance: InstanceRecord): string[] =>
      stateOf(instance) === 'terminated' ? [] : field(instance);
  return {
    'instance-id': ({ id }) => [id],
    'instance-state-name': (instance) => [stateOf(instance)],
    'instance-type': ({ type }) => [type],
    'image-id': ({ imageId }) => [imageId],
    'client-token': ({ token }) => [token],
    'availability-zone': ({ zone }) => [zone],
    'key-name': ({ keyName }) => (keyName ? [keyName] : []),
    tenancy: ({ tenancy }) => [tenancy],
    architecture: ({ architecture }) => [architecture],
    'vpc-id': living(({ vpcId }) => [vpcId]),
    'subnet-id': living(({ interfaces }) => interfaces.slice(0, 1).map(({ subnetId }) => subnetId)),
    'network-interface.subnet-id': living(({ interfaces }) => interfaces.map(({ subnetId }) => subnetId)),
    'network-interface.network-interface-id': living(({ interfaces }) => interfaces.map(({ id }) => id)),
    'private-ip-address': living(({ interfaces }) => interfaces.slice(0, 1).map(({ privateIp }) => privateIp)),
    'private-dns-name': living(({ privateDnsName }) => [privateDnsName]),
    'ip-address': living(({ interfaces }) => interfaces.slice(0, 1).flatMap(({ publicIp }) => publicIp ?? [])),
    'group-id': living(({ interfaces }) => interfaces.flatMap(({ groups }) => groups)),
    'instance.group-id': living(({ interfaces }) => interfaces.flatMap(({ groups }) => groups)),
    'block-device-mapping.volume-id': living(({ volumes }) => volumes.map(({ id }) => id)),
  };
};

export const instanceActions = {
  DescribeInstances: (call, { InstanceIds, Filters, MaxResults, NextToken }) => {
    const stateOf = statesOf(call);
    const question = { ids: InstanceIds, filters: Filters, MaxResults, NextToken };
    const found = describe(call, call.account.instances, instanceErrors, fieldsFor(stateOf), question);
    return {
      Reservations: found.items.map((instance) => ({ Instances: [viewInstance(call, instance, stateOf(instance))] })),
      ...(found.NextToken && { NextToken: found.NextToken }),
    };
  },

  GetConsoleOutput: (call, { InstanceId, Latest = false }) => {
    const { id, type } = named(call, call.account.instances, InstanceId, instanceErrors);
    if (Latest && !isNitro(type))
      refuse('UnsupportedOperation', 'This instance type does not support retrieving the latest console logs.');
    const text = call.account.guests.console(id);
    return text === '' ? {} : { Output: Buffer.from(text).toString('base64') };
  },

  TerminateInstances: (call, { InstanceIds }) => {
    const instances = InstanceIds.map((id) => named(call, call.account.instances, id, instanceErrors));
    for (const instance of instances)
      endInstance(call.account, instance, {
        code: 'Client.UserInitiatedShutdown',
        message: 'Client.UserInitiatedShutdown: User initiated shutdown',
      });
    return {
      TerminatingInstances: instances.map((instance) => ({
        InstanceId: instance.id,
        CurrentState: { Name: instanceState(instance, call.now) },
      })),
    };
  },

  ModifyInstanceMetadataOptions: (call, { InstanceId, ...options }) => {
    const instance = named(call, call.account.instances, InstanceId, instanceErrors);
    checkMetadata(options);
    if (options.InstanceMetadataTags === 'enabled') checkShownTags(instance.tags);
    for (const [name, value] of Object.entries(options))
      if (value !== undefined) Object.assign(instance.metadata, { [name]: value });
    call.account.instances.put(instance);
    return {};
  },
} satisfies Handlers;
