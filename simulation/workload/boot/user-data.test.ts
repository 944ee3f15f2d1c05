import { describe, expect, it } from 'vitest';
import { secretPointer } from '../../../test/simulation/user-data.ts';
import { readUserData } from './user-data.ts';

describe('user data that refers to a secret', () => {
  const document = '#cloud-config\n';
  const { userData, secrets } = secretPointer(document, 'us-east-1', 'aws.cluster.x-k8s.io/1');
  const read = (text: string) => readUserData(text, { region: 'us-east-1', read: (name) => secrets.get(name) });

  it('is read when its boothook restarts cloud-init', () => {
    expect(read(userData)).toEqual({
      documents: [document],
      nodeConfigs: [],
      secrets: [...secrets.keys()],
      faults: [],
    });
  });

  it('is read too early and misses the secret when cloud-init continues', () => {
    expect(read(userData.replace('systemctl restart cloud-init', ''))).toMatchObject({
      documents: [],
      faults: ['util.py[WARNING]: Fetching from file:///etc/secret-userdata.txt resulted in an invalid response'],
    });
  });
});
