/** Whether cloud-init renders a text of user data. Pure. */
import { instanceDataOf } from './instance-data.ts';
import { renderJinja } from './template.ts';
import { TemplateError } from './value.ts';

const anInstance = instanceDataOf({
  instanceId: 'i-0123456789abcdef0',
  instanceType: 'm5.large',
  imageId: 'ami-0123456789abcdef0',
  region: 'eu-west-1',
  zone: 'eu-west-1a',
  privateDnsName: 'ip-10-0-0-1.eu-west-1.compute.internal',
  privateIp: '10.0.0.1',
  hostname: 'ip-10-0-0-1',
});

/** Only whole trees are certain: metadata differ from instance to instance. */
const isUnknownTree = (text: string, name: string): boolean =>
  new RegExp(`(?<![.\\w\\]'"])${name.replace(/\W/g, '')}\\s*[.[(]`).test(text);

const isCertain = ({ reason, message }: TemplateError, text: string): boolean => {
  if (reason !== 'undefined') return reason !== 'unsupported';
  const [, name = ''] = /^'(\w+)' is undefined$/.exec(message) ?? [];
  return name !== '' && !Object.hasOwn(anInstance, name) && isUnknownTree(text, name);
};

/** Why it is dropped; undefined if it is rendered, or if only the host can tell. */
export const faultOfTemplate = (text: string): string | undefined => {
  if (!/\{[{%#]/.test(text)) return undefined;
  try {
    renderJinja(text, anInstance);
    return undefined;
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return isCertain(error, text) ? error.message : undefined;
  }
};
