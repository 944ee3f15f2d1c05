/** Machine images of the AWS provider's publisher, in moto's format. */
import { publisher } from '../simulation/aws/image.ts';

const systems = ['ubuntu-24.04', 'ubuntu-22.04', 'flatcar-stable'];
const minors = [27, 28, 29, 30, 31, 32, 33, 34, 35, 36];
const patches = 16;
const architectures = ['x86_64', 'arm64'] as const;

const digits = (number: number) => String(number).padStart(17, 'c');

export const publishedImages = () =>
  systems
    .flatMap((system) => minors.flatMap((minor) => Array.from({ length: patches }, (_, n) => ({ system, minor, n }))))
    .flatMap(({ system, minor, n }, index) =>
      architectures.map((architecture, at) => {
        const name = `capa-ami-${system}-v1.${minor}.${n}-${1767225600 + at}`;
        return {
          ami_id: `ami-${digits(2 * index + at + 1)}`,
          name,
          owner_id: publisher,
          architecture,
          state: 'available',
          public: true,
          creation_date: '2026-01-01T00:00:00.000Z',
          root_device_name: '/dev/sda1',
          root_device_type: 'ebs',
          virtualization_type: 'hvm',
          image_type: 'machine',
          image_location: `${publisher}/${name}`,
          hypervisor: 'xen',
        };
      }),
    );
