module farlink-peers/dtn7-go

go 1.20

require github.com/dtn7/dtn7-go v0.9.1
