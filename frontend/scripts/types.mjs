// Makes src/lib/api/schema.gen.ts from the controller's OpenAPI document; with --check it only says whether it is current.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import openapiTS, { astToString } from 'openapi-typescript';

const source = new URL('../../app/api/openapi.yaml', import.meta.url);
const target = new URL('../src/lib/api/schema.gen.ts', import.meta.url);

const header = '// Made by `npm run types` from app/api/openapi.yaml. Do not edit.\n\n';
const text =
  header +
  astToString(
    await openapiTS(source, {
      alphabetize: true,
      rootTypes: true,
      rootTypesNoSchemaPrefix: true,
      rootTypesKeepCasing: true
    })
  );

if (process.argv.includes('--check')) {
  if (readFileSync(target, 'utf8') !== text) {
    console.error(`${fileURLToPath(target)} is not what the document says: run "npm run types"`);
    process.exit(1);
  }
} else {
  writeFileSync(target, text);
}
