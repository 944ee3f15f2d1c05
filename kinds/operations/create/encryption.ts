/** Whether an API server's EncryptionConfiguration has the key that objects are encrypted with. Pure. */
import { documentValue, yamlDocuments } from '../../../machinery/api/yaml.ts';

interface Keys {
  keys?: { name?: string }[];
}
interface EncryptionConfiguration {
  resources?: { providers?: ({ kms?: { name?: string } } & Record<string, Keys | undefined>)[] }[];
}

/** Undefined if it is no YAML. */
const parsed = (text: string): EncryptionConfiguration | undefined => {
  const [document] = yamlDocuments(text);
  try {
    return document && (documentValue(document) as EncryptionConfiguration);
  } catch {
    return undefined;
  }
};

/** `key`: as etcd's values begin, such as `aescbc:v1:key1` or `kms:v2:vault`; only its value is not compared. */
export const hasKey = (configuration: string | undefined, key: string): boolean => {
  const [provider = '', , name] = key.split(':');
  const providers = (parsed(configuration ?? '')?.resources ?? []).flatMap((entry) => entry.providers ?? []);
  return providers.some((given) =>
    provider === 'kms' ? given.kms?.name === name : given[provider]?.keys?.some((one) => one.name === name),
  );
};
