import Piwork

let piwork = Piwork()
let task = try await piwork.run(["sort", "-o", "/folders/Lists/sorted.txt", "/folders/Lists/names.txt"], folders: ["/home/me/Lists": .rw])
for try await event in task { print(event.kind, event.data) }
print(try await task.changes(), try await task.undo())
await piwork.close()
