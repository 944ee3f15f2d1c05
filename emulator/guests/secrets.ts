/** Reads and deletes bootstrap data like the boothook on an instance, with the permissions of its profile. */
import {
  DeleteSecretCommand,
  GetSecretValueCommand,
  ResourceNotFoundException,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { GetParameterCommand, ParameterNotFound, SSMClient } from '@aws-sdk/client-ssm';
import type { GuestInstance } from '../../simulation/ports.ts';
import { readUserData } from '../../simulation/workload/boot/user-data.ts';

export interface SecretsOptions {
  endpoint: string;
  region: string;
  onError: (error: unknown) => void;
}

/** Secrets that the AWS provider's profiles may read. */
const mayRead = /^(\/)?aws\.cluster\.x-k8s\.io\//;
const mostRounds = 5;

export const createSecrets = ({ endpoint, region, onError }: SecretsOptions) => {
  const config = { endpoint, region, credentials: { accessKeyId: 'emulator', secretAccessKey: 'emulator' } };
  const manager = new SecretsManagerClient(config);
  const parameters = new SSMClient(config);
  const fetched = new Map<string, Map<string, Uint8Array>>();

  const fetchSecret = async (name: string): Promise<Uint8Array | undefined> => {
    if (!mayRead.test(name)) return undefined;
    try {
      if (name.startsWith('/')) {
        const { Parameter } = await parameters.send(new GetParameterCommand({ Name: name, WithDecryption: true }));
        return Buffer.from(Parameter?.Value ?? '', 'base64');
      }
      const { SecretBinary, SecretString } = await manager.send(new GetSecretValueCommand({ SecretId: name }));
      return SecretBinary ?? Buffer.from(SecretString ?? '');
    } catch (error) {
      if (error instanceof ResourceNotFoundException || error instanceof ParameterNotFound) return undefined;
      throw error;
    }
  };

  return {
    /** Follows references in user data until none is left. */
    prefetch: async ({ instanceId, userData, launchIndex, profile }: GuestInstance): Promise<void> => {
      const known = fetched.get(instanceId) ?? new Map<string, Uint8Array>();
      fetched.set(instanceId, known);
      if (!profile) return;
      for (let round = 0; round < mostRounds; round++) {
        const missing = new Set<string>();
        readUserData(userData, {
          region,
          launchIndex,
          read: (name) => {
            const data = known.get(name);
            if (!data) missing.add(name);
            return data;
          },
        });
        let found = 0;
        for (const name of missing) {
          const data = await fetchSecret(name);
          if (!data) continue;
          known.set(name, data);
          found++;
        }
        if (found === 0) return;
      }
    },
    read: (instanceId: string, name: string): Uint8Array | undefined => fetched.get(instanceId)?.get(name),
    remove: (instanceId: string, name: string): void => {
      fetched.get(instanceId)?.delete(name);
      if (name.startsWith('/')) return;
      manager
        .send(new DeleteSecretCommand({ SecretId: name, ForceDeleteWithoutRecovery: true }))
        .catch((error: unknown) => {
          if (!(error instanceof ResourceNotFoundException)) onError(error);
        });
    },
    forget: (instanceId: string): void => void fetched.delete(instanceId),
    close: () => {
      manager.destroy();
      parameters.destroy();
    },
  };
};
